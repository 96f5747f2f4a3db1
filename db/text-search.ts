import { type RawBuilder, sql } from 'kysely';
import type { EntityManager } from './orm.ts';
import { rows } from './rows.ts';

/** Columns that are in lower case by themselves, as `normalizeEmail` writes addresses: to make them so again is a third of a search's cost. */
const IN_LOWER_CASE: readonly string[] = ['email', 'to_email'];

/** Whether the text is a part of one of the columns, without regard to case. By `ilike` it would be the same at twice the cost. */
export function contains(columns: readonly string[], text: string): RawBuilder<boolean> {
  const lower = (column: string) => (IN_LOWER_CASE.includes(column) ? sql.ref(column) : sql`lower(${sql.ref(column)})`);
  return sql`(${sql.join(
    columns.map((column) => sql`strpos(${lower(column)}, lower(${text})) > 0`),
    sql` or `,
  )})`;
}

/**
 * Whether a column whose trigrams an index has may have all of the parts, which are as `searchable` in the migrations makes them: of the rows that
 * contain the text all are found. Others may be, so what comes out is still to be looked at. The index has the trigrams as a list, and PostgreSQL
 * takes it at its word; by the text itself (`gin_trgm_ops`) it would make the text of each row again and look at it, which costs more than all the
 * rest where many rows match.
 */
export function mayContain(column: string, parts: readonly string[]): RawBuilder<boolean> {
  const wanted = [...new Set(parts.flatMap(trigramsIn))];
  return wanted.length > 0 ? sql`show_trgm(searchable(${sql.ref(column)})) collate "C" @> array[${sql.join(wanted)}]` : sql`true`;
}

/** Whether an index has anything to find the parts by: of one or two letters in the middle of a word it has not. */
export function hasTrigrams(parts: readonly string[]): boolean {
  return parts.some((part) => trigramsIn(part).length > 0);
}

/** Those that any text has which this is a part of, as `show_trgm` makes them of words: two spaces before a word, one after. */
function trigramsIn(part: string): string[] {
  const words = [...part.matchAll(/[a-z0-9]+/g)].map(({ 0: word, index }) => {
    // What is cut off at an end may be the middle of a word.
    const [isBegin, isEnd] = [index > 0, index + word.length < part.length];
    return `${isBegin ? '  ' : ''}${word}${isEnd ? ' ' : ''}`;
  });
  return words.flatMap((word) => Array.from({ length: Math.max(word.length - (TRIGRAM - 1), 0) }, (_, at) => word.slice(at, at + TRIGRAM)));
}

/** A table, or a query of rows with the columns `created_at` and `id` in its place. */
export type SearchedTable = 'contacts' | 'sends' | RawBuilder<unknown>;

/** For a from clause. */
export function fromTable(table: SearchedTable): RawBuilder<unknown> {
  return typeof table === 'string' ? sql.table(table) : sql`(${table}) searched`;
}

/** Rows whose newest tell what is common among all of them. */
export interface Sampled {
  readonly table: SearchedTable;
  /** What picks the rows; an index has them by created_at and id. */
  readonly list: RawBuilder<unknown>;
  /** What is searched. */
  readonly columns: readonly string[];
}

/** What more than a fifth of the sample has is common. */
const SAMPLE = 100;
const COMMON = SAMPLE / 5;
/** So many trigrams of a text are looked at: they are enough to find it by. */
const MOST = 64;
const TRIGRAM = 3;

/**
 * Of each column the parts of a text by which an index finds it soonest. For each trigram the index reads through all entries that have it, so
 * that one which most rows have (`gma`) costs the most and tells the least: such are left out, unless the text has no others.
 */
export async function rareParts(
  em: EntityManager,
  { table, list, columns }: Sampled,
  text: string,
): Promise<readonly (readonly string[])[]> {
  const searched = columns.map((column) => sql`searchable(${sql.ref(column)})`);
  const found = await rows(
    em,
    sql<{ text: string; sample: readonly (string | null)[] | null }>`
      with wanted as materialized (select searchable(${text}) as text), latest as materialized (
        select array[${sql.join(searched)}] as sample from ${fromTable(table)} where ${list} order by created_at desc, id desc limit ${SAMPLE}
      )
      select w.text, l.sample from wanted w left join latest l on true`,
  );
  const whole = found[0]?.text ?? '';
  const places = Array.from({ length: Math.min(Math.max(whole.length - (TRIGRAM - 1), 0), MOST) }, (_, place) => place);
  return columns.map((_, nth) => {
    const isRare = (place: number) => {
      const trigram = whole.slice(place, place + TRIGRAM);
      return found.filter(({ sample }) => sample?.[nth]?.includes(trigram)).length <= COMMON;
    };
    const rare = places.filter(isRare);
    return rare.length > 0 ? runsOf(whole, rare) : [whole];
  });
}

/** The trigrams at these places, those that touch each other in one. */
function runsOf(whole: string, places: readonly number[]): string[] {
  const runs: { from: number; to: number }[] = [];
  for (const from of places) {
    const last = runs.at(-1);
    if (last && last.to === from + TRIGRAM - 1) last.to++;
    else runs.push({ from, to: from + TRIGRAM });
  }
  return runs.map(({ from, to }) => whole.slice(from, to));
}
