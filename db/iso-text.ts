import { type RawBuilder, sql } from 'kysely';

/** An instant as the API writes it (docs/contract/http.md 19), where SQL makes JSON or text of it. */
export function isoText(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
