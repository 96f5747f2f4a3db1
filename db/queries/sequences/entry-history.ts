import { sql } from 'kysely';
import { capWindowMs, type FrequencyCap } from '../../../domain/sequences/frequency-cap.ts';
import type { EarlierRuns } from '../../../domain/sequences/reentry.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { isSuppressed, isUnconfirmed } from '../sends/permission.ts';

export interface HistoryQuery {
  readonly projectId: string;
  readonly sequenceId: string;
  readonly contactId: string;
  readonly cap: FrequencyCap | null;
  readonly now: Date;
}

/** What a contact brings along when it comes to a sequence. */
export interface EntryHistory {
  readonly earlier: EarlierRuns;
  readonly isSuppressed: boolean;
  readonly isUnconfirmed: boolean;
  /** Marketing mails within the window of the cap, accepted or in flight, as many as count. Epoch milliseconds. */
  readonly marketingAt: readonly number[];
}

type Found = EarlierRuns & Omit<EntryHistory, 'earlier'>;

/** The same as a real run asks when it begins and before its mails, without a lock: for simulate. */
export async function entryHistory(em: EntityManager, query: HistoryQuery): Promise<EntryHistory> {
  const { projectId, sequenceId, contactId, cap, now } = query;
  const ofContact = sql`contact_id = ${contactId} and project_id = ${projectId}`;
  const windowSeconds = cap ? capWindowMs(cap) / 1000 : 0;
  const found = (await row(
    em,
    sql<Found>`
      select count(*) filter (where status = 'active') as active, count(*) filter (where status <> 'active') as ended,
             max(started_at) as "lastStartedAt",
             exists (select 1 from contacts c where c.id = ${contactId} and c.project_id = ${projectId}
                     and ${isSuppressed({ projectId: sql`c.project_id`, email: sql`c.email` })}) as "isSuppressed",
             exists (select 1 from contacts c where c.id = ${contactId} and c.project_id = ${projectId}
                     and ${isUnconfirmed({ projectId: sql`c.project_id`, id: sql`c.id`, status: sql`c.status` })}) as "isUnconfirmed",
             coalesce((select json_agg((extract(epoch from m.created_at) * 1000)::bigint) from (
               select created_at from sends
               where ${ofContact} and type = 'marketing' and status is distinct from 'failed'
                 and created_at > ${now}::timestamptz - make_interval(secs => ${windowSeconds}::double precision)
               order by created_at desc limit ${cap?.count ?? 0}) m), '[]') as "marketingAt"
      from enrollments where sequence_id = ${sequenceId} and ${ofContact}`,
  )) as Found;
  const { isSuppressed: suppressed, isUnconfirmed: unconfirmed, marketingAt, ...earlier } = found;
  return { earlier, isSuppressed: suppressed, isUnconfirmed: unconfirmed, marketingAt };
}
