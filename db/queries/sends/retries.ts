import { sql } from 'kysely';
import { BATCH_SIZE } from '../../../domain/campaigns/campaign.ts';
import type { SendFailure } from '../../../domain/sends/send.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import type { CampaignHead, EnrollmentRow, EnrollmentStepRow, ProductEventRow, SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { HIGHEST_ID, LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { HAS_GATHERED } from '../sequences/digests.ts';
import { IS_OVER } from '../sequences/is-over.ts';
import { IS_REOPENED, IS_UNKNOWN } from './send-outcomes.ts';

/** Of which failed mails of a campaign: those that failed for one of these reasons, some at a time, or one of them. */
export type RetriedOf = RetriedPortion | { readonly sendId: string };

/** At most so many recipients whose mails failed so, in the order of contacts. */
export interface RetriedPortion {
  readonly outcomes: readonly SendFailure[];
  readonly most: number;
  /** Those behind this contact; null: from the first. */
  readonly after: string | null;
}

/** How many recipients of a campaign get it again, and how many of them may have it already. */
export interface RetriedRecipients {
  readonly retried: number;
  readonly mayArriveTwice: number;
  /** Under which id the first of them gets it. */
  readonly firstId: string | null;
  /** The last contact of a portion that was full; null: none is left behind it. */
  readonly last: string | null;
}

/** The reason of a failed row `s`. */
const REASON = sql.raw(`split_part(s.error, ': ', 1)`);

/** Of a campaign: the rows that count for their recipients, and can be followed by another. Who was erased has none. */
const RETRIABLE = sql.raw(`s.source_type = 'campaign' and s.status = 'failed' and s.retried_as is null and s.contact_id is not null`);

/**
 * Makes batches of the recipients whose mails failed, under the ids that their rows name from then on, and takes them out of those that failed:
 * one statement, so that the counts add up at every instant. The caller has the campaign's row locked.
 * Portions are ranges of contacts, which no join has to find: just after a campaign the planner knows little of its rows.
 */
export async function retryRecipients(
  tx: EntityManager,
  { id, project_id, rate_per_second }: Pick<CampaignHead, 'id' | 'project_id' | 'rate_per_second'>,
  of: RetriedOf,
): Promise<RetriedRecipients> {
  const which =
    'sendId' in of ? sql`s.id = ${of.sendId}` : sql`${REASON} = any(${of.outcomes}::text[]) and s.contact_id > ${of.after ?? LOWEST_ID}`;
  const most = 'sendId' in of ? 1 : of.most;
  const retriable = sql`${RETRIABLE} and s.source_id = ${id} and s.project_id = ${project_id} and ${which}`;
  const batchSize = Math.min(BATCH_SIZE, rate_per_second ?? BATCH_SIZE);
  const retried = await row(
    tx,
    sql<RetriedRecipients>`
      with edge as (
        select s.contact_id from sends s where ${retriable} order by s.contact_id limit 1 offset ${sql.lit(most - 1)}
      ), claimed as (
        update sends s set retried_as = uuid_v7(), retried_at = now()
        where ${retriable} and s.contact_id <= coalesce((select contact_id from edge), ${HIGHEST_ID})
        returning s.contact_id, s.variant, ${REASON} as reason, s.retried_as
      ), numbered as (
        select contact_id, retried_as, (row_number() over (order by retried_as) - 1) / ${sql.lit(batchSize)} as batch from claimed
      ), batches as (
        insert into campaign_pages (campaign_id, no, contact_ids, send_ids)
        select ${id}::uuid, (select coalesce(max(g.no) + 1, 0) from campaign_pages g where g.campaign_id = ${id}) + batch,
               array_agg(contact_id order by retried_as), array_agg(retried_as order by retried_as)
        from numbered group by batch
      ), counted as (
        insert into campaign_counts (campaign_id, variant, counter, delta)
        select ${id}::uuid, coalesce(variant, ''), 'failed', -count(*) from claimed group by variant
      )
      select count(*) as retried, count(*) filter (where reason = 'outcome_unknown') as "mayArriveTwice",
             min(retried_as::text) as "firstId", (select contact_id from edge) as last
      from claimed`,
  );
  return retried as RetriedRecipients;
}

/** Why how many recipients of a campaign have not got it, as far as they can get it again; the most first. */
export async function failedRecipients(
  em: EntityManager,
  campaignId: string,
): Promise<{ readonly reason: SendFailure; readonly count: number }[]> {
  return rows(
    em,
    sql<{ reason: SendFailure; count: number }>`
      select ${REASON} as reason, count(*) as count from sends s where ${RETRIABLE} and s.source_id = ${campaignId}
      group by 1 order by count desc, reason`,
  );
}

/** Of the failed send `s`: its caller asks for it again at this moment, under its key. */
const IS_ASKED_AGAIN = sql`(${IS_REOPENED} and s.opened_at > now() - make_interval(secs => ${sql.lit(OUTCOME_UNKNOWN_AFTER_MS / 1000)}))`;

/** A claim of which no row has come in so long is that of a process that died: a request ends long before. */
const ABANDONED_SECONDS = 600;

/**
 * Gives a failed row the id of the send that follows it. Of several callers one gets it: undefined. The others are told which send follows,
 * null where the row has not failed any more.
 */
export async function claimRetry(
  em: EntityManager,
  { project_id, id }: Pick<SendRow, 'project_id' | 'id'>,
  as: string,
): Promise<Follower | undefined> {
  const claimed = await row(
    em,
    sql`update sends s set retried_as = ${as}, retried_at = now()
        where s.id = ${id} and s.project_id = ${project_id} and s.status = 'failed' and not ${IS_ASKED_AGAIN} and (s.retried_as is null
          or s.retried_at < now() - make_interval(secs => ${ABANDONED_SECONDS}) and not exists (select 1 from sends n where n.id = s.retried_as))
        returning 1`,
  );
  return claimed ? undefined : followerOf(em, project_id, id);
}

/** What follows a send. */
export interface Follower {
  /** null: nothing does. */
  readonly id: string | null;
  /** Whether it has its row by now. */
  readonly hasRow: boolean;
}

export async function followerOf(em: EntityManager, projectId: string, id: string): Promise<Follower> {
  const found = await row(
    em,
    sql<Follower>`select s.retried_as as id, exists (select 1 from sends n where n.id = s.retried_as and n.status is not null) as "hasRow"
                  from sends s where s.id = ${id} and s.project_id = ${projectId}`,
  );
  return found ?? { id: null, hasRow: false };
}

/** Takes it back where no mail came of it: the row may be followed by another. */
export async function releaseRetry(em: EntityManager, id: string, as: string): Promise<void> {
  await row(
    em,
    sql`update sends set retried_as = null, retried_at = null
        where id = ${id} and retried_as = ${as} and not exists (select 1 from sends n where n.id = ${as} and n.status is not null)`,
  );
}

/** Lets the key of a send go that surely reached nobody, so that its caller can make the mail that this one was not. */
export async function freeKey(em: EntityManager, id: string): Promise<void> {
  await row(
    em,
    sql`update sends s set freed_key = s.idempotency_key, idempotency_key = null
        where s.id = ${id} and s.status = 'failed' and not ${IS_UNKNOWN} and s.idempotency_key is not null`,
  );
}

/** Which of these sends followed which. */
export async function retriesOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await rows(
    em,
    sql<{ id: string; retried_as: string }>`
      select id, retried_as from sends where retried_as is not null and retried_as = any(${ids}::uuid[])`,
  );
  return new Map(found.map(({ id, retried_as }) => [retried_as, id]));
}

/** The visit of a run that a send is of, or the one that it followed. */
export interface RetriedStep extends Pick<EnrollmentRow, 'sequence_id'>, Pick<EnrollmentStepRow, 'enrollment_id' | 'node_id' | 'step'> {
  /** Of the graph in which the run came to it: it may have been moved since. */
  readonly version: EnrollmentRow['sequence_version'];
  /** Whether it has come to a digest. */
  readonly has_gathered: boolean;
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: ProductEventRow['data'] | null;
  /** Whether its sequence is archived, or over: nothing more of it is sent. */
  readonly is_over: boolean;
}

/** Undefined when the run is gone. */
export async function stepOfSend(
  em: EntityManager,
  { project_id, id }: Pick<SendRow, 'project_id' | 'id'>,
): Promise<RetriedStep | undefined> {
  return row(
    em,
    sql<RetriedStep>`
      with recursive line as (
        select s.id, s.enrollment_id, s.node_id, s.visit from sends s where s.id = ${id}
        union all
        select s.id, s.enrollment_id, s.node_id, s.visit from sends s join line l on s.retried_as = l.id
      )
      select e.sequence_id, e.id as enrollment_id, l.node_id, coalesce(st.step, 2147483647) as step, ev.data as event_data,
             coalesce((select m.version from enrollment_moves m where m.enrollment_id = e.id and m.step >= st.step order by m.step limit 1), e.sequence_version) as version,
             ${HAS_GATHERED} as has_gathered, ${IS_OVER} as is_over
      from line l join enrollments e on e.id = l.enrollment_id and e.project_id = ${project_id}
      join sequences s on s.id = e.sequence_id left join events ev on ev.id = e.event_id
      left join enrollment_steps st on st.enrollment_id = e.id and st.node_id = l.node_id and st.visit = l.visit
      limit 1`,
  );
}
