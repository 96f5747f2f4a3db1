import { type RawBuilder, sql } from 'kysely';
import { type KeysetPage, type Place, pageOf, type Reach } from './cursor-page.ts';
import type { EntityManager } from './orm.ts';
import { rows } from './rows.ts';
import { fromTable, type SearchedTable } from './text-search.ts';

/** A list of which some rows are wanted. */
export interface Search<T> {
  readonly table: SearchedTable;
  /** What picks the list; an index has it in the order of pages. */
  readonly list: RawBuilder<unknown>;
  /** What picks the wanted rows. */
  readonly wanted: RawBuilder<unknown>;
  /** So many rows next to a place are looked through before an index is asked. */
  readonly near: number;
  /** The wanted rows within reach, by an index that has all of them in no order. */
  readonly byIndex: (reach: Reach) => Promise<T[]>;
}

/**
 * One page of a search. What many rows match is found next to the place; only what few match, or rows far away, is looked up in its index
 * as a whole and put in order. The planner cannot choose between the two: it takes the matches to be spread evenly.
 */
export async function searchPage<T extends { id: string; created_at: Date }>(
  em: EntityManager,
  search: Search<T>,
  place: Place,
): Promise<KeysetPage<T>> {
  return pageOf<T>(place, async (_, reach) => {
    const near = await rows(em, nearOf(search, reach));
    return near.length === reach.limit ? near : search.byIndex(reach);
  });
}

function nearOf<T>({ table, list, wanted, near }: Search<T>, { beyond, nearestFirst, limit }: Reach): RawBuilder<T> {
  return sql<T>`
    select * from (select * from ${fromTable(table)} where ${list} and ${beyond} ${nearestFirst} limit ${near}) near
    where ${wanted} ${nearestFirst} limit ${limit}`;
}
