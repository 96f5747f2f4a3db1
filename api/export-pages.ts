import type { KeysetPage, Place, Position } from '../db/cursor-page.ts';

/** Rows that are read at once. */
const PAGE = 1_000;

/** All rows of a list, the newest first, page after page: no transaction is open, and no more than one page is held. `limit`: of large rows. */
export async function* allPages<T>(read: (place: Place) => Promise<KeysetPage<T>>, limit = PAGE): AsyncGenerator<readonly T[]> {
  let from: Position | undefined;
  do {
    const page = await read({ limit, from, direction: 'next' });
    if (page.rows.length > 0) yield page.rows;
    from = page.next;
  } while (from);
}

/** All rows of what is read on from its last row, likewise. */
export async function* allAfter<T>(read: (after: T | undefined, limit: number) => Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  for (let after: T | undefined; ; ) {
    const rows = await read(after, PAGE);
    yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1);
  }
}

/** A value as a cell: times by ISO 8601, lists and objects as JSON. */
export function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
