import { type RawBuilder, sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

/** Whose mails: those of single enrollments, or of every enrollment of a sequence. */
export type RunsOf = { readonly enrollmentIds: readonly string[] } | { readonly sequenceId: string };

/** How many mails of these runs are being handed over at this instant. Intents in doubt do not count. */
export async function countHandOvers(em: EntityManager, runs: RunsOf, since: Date): Promise<number> {
  const found = await row(
    em,
    sql<{ count: number }>`select count(*) as count from sends where ${of(runs)} and status is null and opened_at > ${since}`,
  );
  return found?.count ?? 0;
}

function of(runs: RunsOf): RawBuilder<unknown> {
  return 'sequenceId' in runs
    ? sql`source_type = 'sequence' and source_id = ${runs.sequenceId}`
    : sql`enrollment_id = any(${runs.enrollmentIds}::uuid[])`;
}

/**
 * The transactions that are writing sends at this instant. What has just committed is unknown to those of them that looked before; once
 * each has ended, every intent that was opened without knowing of it is there to be seen.
 */
export async function transactionsWritingSends(em: EntityManager): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ id: string }>`
      select virtualtransaction as id from pg_locks
      where locktype = 'relation' and relation = 'sends'::regclass and mode = 'RowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return found.map(({ id }) => id);
}
