import { type RawBuilder, sql } from 'kysely';
import { ENDED_CAMPAIGN_STATUSES } from '../../../domain/campaigns/campaign.ts';
import {
  type FirstHits,
  type GoalResults,
  type MailResults,
  MOST_COUNTED_AT_ONCE,
  RESULTS_FINAL_MS,
} from '../../../domain/campaigns/results.ts';
import { CampaignResult, type CampaignResultRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';
import { interval } from './campaign-batches.ts';
import { WITHOUT_QUERY } from './results.ts';

/** What is known of a campaign's results; undefined where nothing of it was counted yet. */
export interface KeptResults {
  readonly mails: MailResults | undefined;
  readonly conversions: GoalResults | undefined;
}

export async function readKeptResults(em: EntityManager, id: string): Promise<KeptResults> {
  const kept = await tables(em).selectFrom('campaign_results').selectAll().where('campaign_id', '=', id).executeTakeFirst();
  if (!kept) return { mails: undefined, conversions: undefined };
  const { counted_at, hours, days, links, receivers, languages, goal, conversions: byVariant, converted_at } = kept;
  const mails = counted_at &&
    hours &&
    days &&
    links &&
    receivers && { countedAt: counted_at, hours: dated(hours), days: dated(days), links, receivers, languages: languages ?? [] };
  const conversions = goal && byVariant && converted_at && { countedAt: converted_at, goal, byVariant };
  return { mails: mails ?? undefined, conversions: conversions ?? undefined };
}

/** Out of JSON. */
function dated(hits: readonly FirstHits[]): FirstHits[] {
  return hits.map((hit) => ({ ...hit, from: new Date(hit.from) }));
}

const SECOND_MS = 1_000;
/** A campaign is counted anew at most so often, */
const COUNTED_AGAIN_MS = 60 * SECOND_MS;
/** and at most so large a share of the time; the longer its end is past the rarer, since less and less changes. */
const SHARE = 20;

/** A campaign whose results are to be counted and kept. */
export interface DueCampaign {
  readonly id: string;
  /** Else only its conversions, since its goal is another. */
  readonly areMailsDue: boolean;
  /** It is counted for the last time. */
  readonly isLast: boolean;
}

const ENDED = sql.join(ENDED_CAMPAIGN_STATUSES.map((status) => sql.lit(status)));

/** Those that wait longest first. One to few is kept only when it is counted for the last time. */
export async function campaignsToCount(em: EntityManager, limit: number): Promise<DueCampaign[]> {
  return rows(
    em,
    sql<DueCampaign>`
      with campaign as (
        select c.id, c.total_recipients > ${sql.lit(MOST_COUNTED_AT_ONCE)} as is_large, c.goal, r.goal as counted_goal, r.counted_at, r.took,
               case when c.status in (${ENDED}) then coalesce(c.cancelled_at, c.sent_at, c.scheduled_at, c.created_at) end as ended_at
        from campaigns c left join campaign_results r on r.campaign_id = c.id
        where c.resolved_at is not null and c.started_at is not null
      ), timed as (
        select *, now() >= ended_at + ${interval(RESULTS_FINAL_MS)} as is_last,
               coalesce(counted_at >= ended_at + ${interval(RESULTS_FINAL_MS)}, false) as is_final,
               coalesce(now() >= counted_at + greatest(${interval(COUNTED_AGAIN_MS)}, make_interval(secs => took * ${sql.lit(SHARE / SECOND_MS)}),
                 (counted_at - ended_at) / ${sql.lit(SHARE)}), true) as is_time
        from campaign
      ), due as (
        select id, counted_at, coalesce(is_last, false) as "isLast", not is_final and (is_time or is_last) and (is_large or is_last) as "areMailsDue",
               goal is not null and goal is distinct from counted_goal and (is_large or is_last) as is_goal_due
        from timed
      )
      select id, "areMailsDue", "isLast" from due where "areMailsDue" or is_goal_due order by counted_at nulls first, id limit ${limit}`,
  );
}

/**
 * Only one process counts a campaign at a time: others get undefined until the transaction ends. The answer proves what is counted from here on,
 * to keepResults.
 */
export async function beginCounting(
  tx: EntityManager,
  id: string,
): Promise<{ readonly erasures: number; readonly countedAt: Date } | undefined> {
  return row(
    tx,
    sql<{ readonly erasures: number; readonly countedAt: Date }>`
      select r.erasures, date_trunc('milliseconds', clock_timestamp()) as "countedAt" from campaign_results r
      where r.campaign_id = ${id} and pg_try_advisory_xact_lock(hashtextextended('results of campaign ' || r.campaign_id, 0))`,
  );
}

/** So that an erasure that comes before the first results finds where to say so. */
export async function expectResults(em: EntityManager, id: string): Promise<void> {
  await row(em, sql`insert into campaign_results (campaign_id) select id from campaigns where id = ${id} on conflict do nothing`);
}

type Counted = Partial<Omit<CampaignResultRow, 'campaign_id' | 'erasures'>>;

/** False when somebody was erased meanwhile whose clicks may be among them: it is counted anew. */
export async function keepResults(tx: EntityManager, id: string, erasures: number, counted: Counted): Promise<boolean> {
  return (await tx.nativeUpdate(CampaignResult, { campaign_id: id, erasures }, counted)) === 1;
}

/**
 * A CTE that takes the links out of what is kept which the people of `hits (url, source_type, source_id)`, who are erased, followed alone: theirs may
 * name them. What is being counted at the time is not kept.
 */
export function forgetClicks(hits: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`clicks as (
    select source_id::uuid as campaign_id, array_agg(url) || array_agg(${WITHOUT_QUERY}) as urls from ${hits}
    where source_type = 'campaign' and url is not null group by source_id
  ), forgotten as (
    update campaign_results r set erasures = r.erasures + 1, links = case when r.links is not null then jsonb_set(r.links, '{most}', (
      select coalesce(jsonb_agg(l order by place), '[]') from jsonb_array_elements(r.links -> 'most') with ordinality as m(l, place)
      where not ((l ->> 'people')::integer <= 1 and l ->> 'url' = any(k.urls)))) end
    from clicks k where r.campaign_id = k.campaign_id
  )`;
}
