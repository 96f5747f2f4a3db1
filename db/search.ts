import { type RawBuilder, sql } from 'kysely';
import { type KeysetPage, type Place, pageOf, type Reach } from './cursor-page.ts';
import type { EntityManager } from './orm.ts';
import { rows } from './rows.ts';

/** A list of which some rows are wanted. */
export interface Search {
  readonly table: 'contacts' | 'sends';
  /** What picks the list; an index has it in the order of pages. */
  readonly list: RawBuilder<unknown>;
  /** What picks the wanted rows. */
  readonly wanted: RawBuilder<unknown>;
  /** What an index has of that, in no order: it may let more rows through. */
  readonly indexed?: RawBuilder<unknown> | undefined;
  /** So many rows next to a place are looked through before the index is asked. */
  readonly near: number;
}

/** `total`: of all rows that are wanted, whatever the page, where the search came by it. */
export type SearchedPage<T> = KeysetPage<T> & { readonly total: number | undefined };

/**
 * One page of a search. What many rows match is found next to the place; only what few match, or rows far away, is looked up in its index
 * as a whole, put in order and counted. The planner cannot choose between the two: it takes the matches to be spread evenly.
 */
export async function searchPage<T extends { id: string; created_at: Date }>(
  em: EntityManager,
  search: Search,
  place: Place,
): Promise<SearchedPage<T>> {
  let total: number | undefined;
  const page = await pageOf<T>(place, async (_, reach) => {
    const near = await rows(em, nearOf<T>(search, reach));
    if (near.length === reach.limit) return near;
    const found = await rows(em, allOf<T>(search, reach));
    total = found[0]?.total;
    return found.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as unknown as T]));
  });
  return { ...page, total };
}

function nearOf<T>({ table, list, wanted, near }: Search, { beyond, nearestFirst, limit }: Reach): RawBuilder<T> {
  return sql<T>`
    select * from (select * from ${sql.table(table)} where ${list} and ${beyond} ${nearestFirst} limit ${near}) near
    where ${wanted} ${nearestFirst} limit ${limit}`;
}

/** Has one row at least, for the number. */
function allOf<T>(
  { table, list, wanted, indexed = sql`true` }: Search,
  { beyond, nearestFirst, limit }: Reach,
): RawBuilder<T & { readonly total: number }> {
  return sql`
    with found as materialized (select id, project_id, created_at from ${sql.table(table)} where ${list} and ${indexed} and ${wanted}),
    page as materialized (select id, project_id from found where ${beyond} ${nearestFirst} limit ${limit})
    select counted.total, t.* from (select count(*) as total from found) counted
    left join (page join ${sql.table(table)} t using (id, project_id)) on true ${nearestFirst}`;
}

/** Whether the text is a part of one of the columns, without regard to case; `%` and `_` are themselves. */
export function contains(columns: readonly string[], text: string): RawBuilder<boolean> {
  const part = `%${literally(text)}%`;
  return sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${part}`),
    sql` or `,
  )})`;
}

/**
 * Of the rows that may contain the text all, by the index on this expression: what it lets through is still to be looked at. See
 * `searchable` in the migrations for what it makes of a text.
 */
export function mayContain(indexed: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql`${indexed} like '%' || replace(replace(searchable(${text}), '%', '\\%'), '_', '\\_') || '%'`;
}

/** The text as a LIKE pattern that matches just itself. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
