import { type RawBuilder, sql } from 'kysely';

/** A place between rows ordered by created_at and id, newest first. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

export interface Place {
  readonly limit: number;
  /** undefined: from the newest row on. */
  readonly from: Position | undefined;
  /** next reads older rows, previous newer ones. */
  readonly direction: 'next' | 'previous';
}

export interface KeysetPage<T> {
  /** Newest first, in both directions. */
  readonly rows: T[];
  /** Where the older rows begin; undefined when there are none. */
  readonly next: Position | undefined;
  readonly previous: Position | undefined;
}

/** The rows that a page is cut from: those beyond a place, nearest first. */
export interface Reach {
  /** A condition. */
  readonly beyond: RawBuilder<unknown>;
  /** An order by clause. */
  readonly nearestFirst: RawBuilder<unknown>;
  /** How many to read: one more than the page shows, which tells whether there is another page. */
  readonly limit: number;
}

/**
 * Reads one page by keyset, as quick at any depth as at the top. `read` runs the select whose end the bounds are, where, order and limit;
 * the reach is the same in parts.
 */
export async function pageOf<T extends { id: string; created_at: Date }>(
  place: Place,
  read: (bounds: RawBuilder<unknown>, reach: Reach) => Promise<T[]>,
): Promise<KeysetPage<T>> {
  const { limit, from } = place;
  const backwards = place.direction === 'previous' && from !== undefined;
  const reach = { ...(backwards ? newerThan(from) : olderThan(from)), limit: limit + 1 };
  const found = await read(sql`${reach.beyond} ${reach.nearestFirst} limit ${reach.limit}`, reach);
  const more = found.length > limit;
  const page = found.slice(0, limit);
  if (backwards) page.reverse();
  const first = page[0];
  const last = page.at(-1);
  return {
    rows: page,
    next: backwards ? (last ? positionOf(last) : from) : more && last ? positionOf(last) : undefined,
    previous: backwards ? (more && first ? positionOf(first) : undefined) : from ? (first ? positionOf(first) : from) : undefined,
  };
}

function positionOf(at: { id: string; created_at: Date }): Position {
  return { createdAt: at.created_at, id: at.id };
}

function olderThan(from: Position | undefined): Omit<Reach, 'limit'> {
  const beyond = from ? sql`(created_at, id) < (${from.createdAt}, ${from.id})` : sql`true`;
  return { beyond, nearestFirst: sql`order by created_at desc, id desc` };
}

function newerThan(from: Position): Omit<Reach, 'limit'> {
  return { beyond: sql`(created_at, id) > (${from.createdAt}, ${from.id})`, nearestFirst: sql`order by created_at, id` };
}
