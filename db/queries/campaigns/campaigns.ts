import { sql } from 'kysely';
import type { AbTest } from '../../../domain/campaigns/ab-test.ts';
import {
  type Audience,
  type CampaignStatus,
  type CampaignVariant,
  ENDED_CAMPAIGN_STATUSES,
  OPEN_CAMPAIGN_STATUSES,
  type ShownAudience,
} from '../../../domain/campaigns/campaign.ts';
import {
  type CampaignCounter,
  type CampaignCounts,
  NOTHING_COUNTED,
  SETTLING_COUNTERS,
  totalOf,
} from '../../../domain/campaigns/counters.ts';
import type { Goal } from '../../../domain/campaigns/goal.ts';
import type { LocalSchedule } from '../../../domain/campaigns/local-schedule.ts';
import type { WindowChoice } from '../../../domain/send-window.ts';
import type { SendType } from '../../../domain/sends/send.ts';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import { Campaign, CampaignCount, type CampaignCountRow, type CampaignHead, type CampaignRow, type SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';
import { sumUpDeltas } from '../operations/sum-up.ts';

export interface NewCampaign {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly template: string;
  readonly type: SendType;
  readonly brand: string;
  readonly subject: string;
  readonly hasOwnSubject: boolean;
  /** Else the template's, and the project's default; true when omitted. */
  readonly hasOwnType?: boolean;
  readonly hasOwnBrand?: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  readonly variants: readonly CampaignVariant[] | null;
  readonly test?: AbTest | null;
  readonly scheduledAt: Date | null;
  /** The time of each recipient's own clock; `scheduledAt` is when that is anywhere. */
  readonly localSchedule?: LocalSchedule | null;
  readonly endsAt: Date | null;
  readonly ratePerSecond: number | null;
  readonly sendWindow?: WindowChoice;
  readonly topic?: string | null;
  readonly goal?: Goal | null;
  /** None of its mails leaves. */
  readonly isSandboxed?: boolean | undefined;
  /** The recurring campaign that it is one of. */
  readonly recurringId?: string | null;
  readonly now: Date;
}

/** Not yet resolved: `scheduled` when it has a time, else `queued`. */
export async function insertCampaign(tx: EntityManager, campaign: NewCampaign): Promise<void> {
  const { id, projectId, name, template, type, brand, subject, data, audience, variants } = campaign;
  const { hasOwnSubject, hasOwnType = true, hasOwnBrand = true } = campaign;
  const {
    scheduledAt,
    localSchedule = null,
    endsAt,
    ratePerSecond,
    sendWindow = null,
    topic = null,
    test = null,
    goal = null,
    isSandboxed = false,
    recurringId = null,
    now,
  } = campaign;
  await tx.insert(Campaign, {
    ...{ id, project_id: projectId, name, template, type, brand_id: brand, subject, data, audience, variants },
    ...{ has_own_subject: hasOwnSubject, has_own_type: hasOwnType, has_own_brand: hasOwnBrand },
    ...{ scheduled_at: scheduledAt, local_schedule: localSchedule, ends_at: endsAt, rate_per_second: ratePerSecond },
    ...{ send_window: sendWindow, topic, ab_test: test, goal, sandboxed: isSandboxed, created_at: now },
    ...{ recurring_id: recurringId, status: scheduledAt ? 'scheduled' : 'queued' },
  });
}

/** What the audience came to: `resolvedAt` when batches of it were made, null when it was only counted. */
export async function setAudience(
  tx: EntityManager,
  id: string,
  counts: {
    readonly audienceSize: number;
    readonly enrolled: number;
    readonly zones?: CampaignRow['zones'];
    readonly window?: CampaignRow['window_in_force'];
    readonly testBounds?: CampaignRow['test_bounds'];
  },
  resolvedAt: Date | null,
): Promise<void> {
  const { audienceSize, enrolled, zones = null, window = null, testBounds = null } = counts;
  const found = {
    ...{ audience_size: audienceSize, total_recipients: enrolled, zones, window_in_force: window, test_bounds: testBounds },
    resolved_at: resolvedAt,
  };
  await tx.nativeUpdate(Campaign, { id }, found);
}

const HEAD = columnsOf(Campaign, 'c', { without: ['audience', 'data'] });

/** With its row locked until the transaction ends: no batch opens meanwhile. Counters, which only refer to it, may be written. */
export async function lockCampaign(tx: EntityManager, id: string): Promise<CampaignHead | undefined> {
  return row(tx, sql<CampaignHead>`select ${HEAD} from campaigns c where c.id = ${id} for no key update`);
}

/** The columns that change while a campaign runs. */
type Change = Partial<
  Pick<
    CampaignRow,
    | 'status'
    | 'paused'
    | 'paused_reason'
    | 'judged'
    | 'reason'
    | 'subject'
    | 'published_version'
    | 'languages'
    | 'started_at'
    | 'sent_at'
    | 'cancelled_at'
    | 'outages'
    | 'first_outage_at'
    | 'retry_at'
    | 'allowance'
    | 'retried_at'
    | 'decides_at'
    | 'ab_decision'
    | 'version'
  >
>;

export async function changeCampaign(tx: EntityManager, id: string, change: Change): Promise<void> {
  await tx.nativeUpdate(Campaign, { id }, change);
}

/** Every campaign of the project that is being sent. */
export async function sendingCampaigns(em: EntityManager, projectId: string): Promise<string[]> {
  const ofProject = tables(em).selectFrom('campaigns').select('id').where('project_id', '=', projectId);
  const sending = await ofProject.where('status', '=', 'sending').execute();
  return sending.map(({ id }) => id);
}

export async function findCampaign(em: EntityManager, projectId: string, id: string): Promise<CampaignHead | undefined> {
  return row(em, sql<CampaignHead>`select ${HEAD} from campaigns c where c.project_id = ${projectId} and c.id = ${id}`);
}

/** With which data it was made; undefined when it is gone. */
export async function readCampaignData(em: EntityManager, id: string): Promise<CampaignRow['data'] | undefined> {
  return (await tables(em).selectFrom('campaigns').select('data').where('id', '=', id).executeTakeFirst())?.data;
}

/** All of a campaign of the project, its audience and data with it. */
export async function findWholeCampaign(em: EntityManager, projectId: string, id: string): Promise<CampaignRow | undefined> {
  return tables(em).selectFrom('campaigns').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
}

/** All of it, of whatever project: for whom a workflow asks. */
export async function findCampaignById(em: EntityManager, id: string): Promise<CampaignRow | undefined> {
  return tables(em).selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface CampaignFilter {
  readonly status?: CampaignStatus | undefined;
  /** Whether it is scheduled, queued or sending. */
  readonly isUnderWay?: boolean | undefined;
  /** Those that this recurring one has made. */
  readonly recurringId?: string | undefined;
}

/** Newest first; drafts only where they are asked for. */
export async function listCampaigns(
  em: EntityManager,
  projectId: string,
  { status, isUnderWay, recurringId }: CampaignFilter,
  place: Place,
): Promise<KeysetPage<CampaignHead>> {
  // In the text of the statement: campaigns_drafts_idx and campaigns_open_idx serve no parameters.
  const conditions = [status === 'draft' ? sql`status = 'draft'` : status ? sql`status = ${status}` : sql`status <> 'draft'`];
  if (isUnderWay !== undefined) conditions.push(isUnderWay ? sql`status in (${OPEN_STATUSES})` : sql`status not in (${OPEN_STATUSES})`);
  if (recurringId !== undefined) conditions.push(sql`recurring_id = ${recurringId}`);
  const where = sql.join(conditions, sql` and `);
  return pageOf(place, (bounds) =>
    rows(em, sql<CampaignHead>`select ${HEAD} from campaigns c where project_id = ${projectId} and ${where} and ${bounds}`),
  );
}

/** Whom each of these campaigns is for. Of a draft, whose matches nobody has counted, the addresses are. */
export async function readAudiences(em: EntityManager, ids: readonly string[]): Promise<Map<string, ShownAudience>> {
  const found = await rows(
    em,
    sql<{ readonly id: string; readonly audience: ShownAudience }>`
      select c.id, case c.audience ->> 'mode' when 'people' then jsonb_build_object('mode', 'people', 'count',
        case c.status when 'draft' then jsonb_array_length(c.audience -> 'emails') else c.audience_size end) else c.audience end as audience
      from campaigns c where c.id = any(${ids}::uuid[])`,
  );
  return new Map(found.map(({ id, audience }) => [id, audience]));
}

/** The addresses that a campaign to single people was given, without those that were erased since; none of another. */
export async function readPeople(em: EntityManager, id: string): Promise<readonly string[] | undefined> {
  const found = await row(
    em,
    sql<{ readonly emails: readonly string[] }>`
      select case when audience ->> 'mode' = 'people' then audience -> 'emails' else '[]'::jsonb end as emails from campaigns where id = ${id}`,
  );
  return found?.emails;
}

/** The counters of each campaign, by variant; '' where there are no variants. What nothing was counted of is absent. */
export async function readCampaignCounts(em: EntityManager, ids: readonly string[]): Promise<Map<string, Map<string, CampaignCounts>>> {
  const found = await rows(
    em,
    sql<Pick<CampaignCountRow, 'campaign_id' | 'variant' | 'counter'> & { readonly total: CampaignCountRow['delta'] }>`
      select campaign_id, variant, counter, sum(delta)::bigint as total from campaign_counts
      where campaign_id = any(${ids}::uuid[]) group by campaign_id, variant, counter`,
  );
  const counts = new Map<string, Map<string, CampaignCounts>>();
  for (const { campaign_id, variant, counter, total } of found) {
    const ofCampaign = counts.get(campaign_id) ?? new Map<string, CampaignCounts>();
    counts.set(campaign_id, ofCampaign);
    ofCampaign.set(variant, { ...(ofCampaign.get(variant) ?? NOTHING_COUNTED), [counter]: total });
  }
  return counts;
}

/** The counters of one campaign, all variants together. */
export async function sumCampaignCounts(em: EntityManager, id: string): Promise<CampaignCounts> {
  return totalOf((await readCampaignCounts(em, [id])).get(id));
}

/** Recipients that are settled together, whatever their variant. */
export async function countSettled(tx: EntityManager, id: string, counter: 'skipped' | 'cancelled', recipients: number): Promise<void> {
  if (recipients === 0) return;
  await tx.insert(CampaignCount, { campaign_id: id, variant: '', counter, delta: recipients });
}

/** In the text of a statement: campaigns_open_idx serves no parameters. */
export const OPEN_STATUSES = sql.join(OPEN_CAMPAIGN_STATUSES.map((status) => sql.lit(status)));
const ENDED_STATUSES = sql.join(ENDED_CAMPAIGN_STATUSES.map((status) => sql.lit(status)));
const SETTLING = sql.join(SETTLING_COUNTERS.map((counter) => sql.lit(counter)));

/** Of campaign `c`: its workflow should run, since it has not ended, or mails of it are in flight. */
export const IS_OPEN = sql`(c.status in (${OPEN_STATUSES})
  or exists (select 1 from campaign_pages g where g.campaign_id = c.id and g.state = 'open'))`;

export async function openCampaigns(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const found = await rows(em, sql<Pick<CampaignRow, 'id'>>`select c.id from campaigns c where c.id = any(${ids}::uuid[]) and ${IS_OPEN}`);
  return found.map(({ id }) => id);
}

/** In order of their ids, after this one. */
export async function batchOfOpenCampaigns(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<CampaignRow, 'id'>>`
      select id from (
        select id from campaigns where status in (${OPEN_STATUSES})
        union select campaign_id from campaign_pages where state = 'open') c
      where ${after === null ? sql`true` : sql`id > ${after}`} order by id limit ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** A campaign whose counts do not add up: every recipient is settled once, or stands in a batch. */
export interface UnbalancedCampaign {
  readonly id: string;
  readonly total: number;
  readonly settled: number;
  readonly left: number;
}

/**
 * Of those that are sending, ended within the last day, or were counted anew since their counts were summed up, as when a truth comes late; in
 * one statement, so that all numbers are of one instant. Of mails that are in flight, or wait to go again under their key, those are left that
 * have no row.
 */
export async function unbalancedCampaigns(em: EntityManager, limit: number): Promise<UnbalancedCampaign[]> {
  return rows(
    em,
    sql<UnbalancedCampaign>`
      select * from (
        select c.id, c.total_recipients::bigint as total,
               (select coalesce(sum(n.delta), 0)::bigint from campaign_counts n
                where n.campaign_id = c.id and n.counter in (${SETTLING})) as settled,
               (select coalesce(sum(case when g.state <> 'open' and g.doubted_at is null then cardinality(g.contact_ids) else (
                    select count(*) from unnest(g.send_ids) as m(id) where not exists (select 1 from sends s where s.id = m.id)) end), 0)::bigint
                from campaign_pages g where g.campaign_id = c.id) as left
        from campaigns c
        where c.status = 'sending' or c.status in (${ENDED_STATUSES}) and (
          coalesce(c.cancelled_at, c.sent_at, c.scheduled_at, c.created_at) > now() - interval '1 day'
          or c.id in (select n.campaign_id from campaign_counts n group by n.campaign_id, n.variant, n.counter having count(*) > 1))
      ) counted where total <> settled + counted.left order by id limit ${limit}`,
  );
}

/** What happened to mails of campaigns after their submission, of each send once. */
export interface Engagement {
  readonly campaignId: string;
  readonly variant: string | null;
  readonly counter: CampaignCounter;
}

/** None for a send of another source. */
export function engagementOf(
  { source_type, source_id, variant }: Pick<SendRow, 'source_type' | 'source_id' | 'variant'>,
  counter: CampaignCounter,
): Engagement[] {
  return source_type === 'campaign' && source_id ? [{ campaignId: source_id, variant, counter }] : [];
}

export async function countEngagement(tx: EntityManager, engagements: readonly Engagement[]): Promise<void> {
  if (engagements.length === 0) return;
  await row(
    tx,
    sql`insert into campaign_counts (campaign_id, variant, counter, delta)
        select e."campaignId", coalesce(e.variant, ''), e.counter, count(*)
        from jsonb_to_recordset(${JSON.stringify(engagements)}::jsonb) as e("campaignId" uuid, variant text, counter text)
        where exists (select 1 from campaigns c where c.id = e."campaignId")
        group by e."campaignId", e.variant, e.counter`,
  );
}

/** Sums the counters up, so that reading them stays quick. */
export async function sumUpCampaignCounts(em: EntityManager): Promise<void> {
  await sumUpDeltas(em, 'campaign_counts', ['campaign_id', 'variant', 'counter']);
}
