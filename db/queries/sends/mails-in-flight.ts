import { type RawBuilder, sql } from 'kysely';
import { IN_FLIGHT_MS, IN_FLIGHT_WITH_ATTACHMENTS_MS } from '../../../domain/sends/submission-times.ts';
import type { ErasureRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Whose mails: those of single enrollments, of every enrollment of a sequence, or all to a contact that is being erased. */
export type MailsOf = { readonly enrollmentIds: readonly string[] } | { readonly sequenceId: string } | { readonly erased: ErasureRow };

/** How many of these mails, campaigns' aside, are being submitted at this instant. Intents of unknown outcome do not count. */
export async function countMailsInFlight(em: EntityManager, mails: MailsOf): Promise<number> {
  const found = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from sends
      where ${of(mails)} and status is null and opened_at > now() - make_interval(secs => case
        when details ? 'attachments' then ${IN_FLIGHT_WITH_ATTACHMENTS_MS / 1000}::double precision else ${IN_FLIGHT_MS / 1000}::double precision end)`,
  );
  return found?.count ?? 0;
}

function of(mails: MailsOf): RawBuilder<unknown> {
  if ('enrollmentIds' in mails) return sql`enrollment_id = any(${mails.enrollmentIds}::uuid[])`;
  if ('sequenceId' in mails) return sql`source_type = 'sequence' and source_id = ${mails.sequenceId}`;
  return sql`project_id = ${mails.erased.project_id} and contact_id = ${mails.erased.contact_id}`;
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
