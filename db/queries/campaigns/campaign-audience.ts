import { type RawBuilder, sql } from 'kysely';
import { BUCKETS, bucketBounds } from '../../../domain/buckets.ts';
import { UNDECIDED } from '../../../domain/campaigns/ab-test.ts';
import { type Audience, BATCH_SIZE, type CampaignVariant } from '../../../domain/campaigns/campaign.ts';
import type { ZoneRecipients, ZoneTime } from '../../../domain/campaigns/local-schedule.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';
import { inSegment } from '../segments/segment-filter.ts';
import { campaignRefusal } from '../sends/permission.ts';
import { HELD } from './held-batches.ts';
import { leaveOut } from './left-out.ts';

export interface AudienceOf {
  readonly campaignId: string;
  readonly projectId: string;
  readonly audience: Audience;
  readonly variants: readonly CampaignVariant[] | null;
  /** Percent of the recipients whom each variant is tried on; null: no test decides. */
  readonly testShare?: number | null;
  /** Under a rate a batch has no more than what goes in a second. */
  readonly ratePerSecond: number | null;
  /** The key of the topic that it is of; null: of none. */
  readonly topic: string | null;
}

/** An audience as a launch would find it. */
export interface AudienceAtLaunch extends AudienceOf {
  /** Of those who are left out because their time had passed; null: of contacts without one. */
  readonly lateZones: readonly (string | null)[];
}

/** An audience, and when it gets the campaign. */
export interface AudienceInTime extends AudienceOf {
  /** When those of each zone get it; null: everybody gets it at once. */
  readonly zones: readonly ZoneTime[] | null;
  /** Whether those whose time had passed are left out. */
  readonly skipsLate: boolean;
}

/** `audienceSize`: who matches; `enrolled`: those of them who may get mail. */
export interface AudienceCounts {
  readonly audienceSize: number;
  readonly enrolled: number;
}

/** `zones`: of one that goes by them; else null. */
export interface ResolvedCounts extends AudienceCounts {
  readonly zones: readonly ZoneRecipients[] | null;
  /** At which hash each arm of its test ends; null: no test decides. */
  readonly testBounds: readonly number[] | null;
}

/**
 * Makes batches of recipients of the audience as it is now, in one statement whose memory does not grow with it. Undefined when the segment
 * is gone. Who matches and may get no mail is kept as left out. The caller's transaction holds the campaign's row, or `lockResolving`.
 */
export async function resolveAudience(tx: EntityManager, of: AudienceInTime): Promise<ResolvedCounts | undefined> {
  const matching = await matchingContacts(tx, of);
  if (!matching) return undefined;
  const { campaignId, variants, testShare = null, ratePerSecond, zones } = of;
  const test = variants && testShare !== null ? { arms: variants.length, share: testShare } : undefined;
  const bucket = test && bucketIn(campaignId);
  const batchSize = Math.min(BATCH_SIZE, ratePerSecond ?? BATCH_SIZE);
  // Nobody of the rest is in a batch with others, nor anybody of another zone.
  const apart = [...(test ? ['is_rest'] : []), ...(zones ? ['nth'] : [])];
  const keys = sql.join([...apart, 'part'].map((name) => sql.ref(name)));
  // Where nothing tells them apart their parts are numbered as they are: sorting them would take an eighth of the time.
  const no = apart.length > 0 ? sql`row_number() over (order by ${keys}) - 1` : sql`part`;
  const begins = zones ? sql`at` : sql`null::timestamptz`;
  return row(
    tx,
    sql<ResolvedCounts>`
      with ${zones ? matchedByZone(matching, zones, { ...of, bucket }) : sql`matched as materialized (select id, left_out_by ${asBucket(bucket)} from (${matching}) m)`},
      ${test ? boundsOf(test) : sql``}
      numbered as ${variants ? sql`materialized` : sql`not materialized`} (
        select ${sql.join(['id', ...apart].map((name) => sql.ref(name)))},
               (row_number() over (${apart.length > 0 ? sql`partition by ${sql.join(apart.map((name) => sql.ref(name)))}` : sql``}) - 1) / ${sql.lit(batchSize)} as part
        from ${test ? PARTED : sql`matched`} where left_out_by is null
      ), placed as (
        select ${no} as no, ids, ${zones ? sql`zone` : sql`null::text`} as zone,
               ${test ? sql`case when is_rest then ${HELD} else ${begins} end` : begins} as begins
        from (select ${keys}, array_agg(id) as ids from numbered group by ${keys}) grouped ${zones ? sql`join zones using (nth)` : sql``}
      ), batches as (
        insert into campaign_pages (campaign_id, no, contact_ids, zone, not_before, available_at)
        select ${campaignId}::uuid, no, ids, zone, begins, coalesce(begins, '-infinity') from placed returning zone, cardinality(contact_ids) as size
      ), left_out as (${leaveOut(sql`select id, left_out_by as reason from matched where left_out_by is not null`, { campaignId, isFirst: true })})
      ${variants ? sql`, counted as (${recipientsByVariant(campaignId, variants, test)})` : sql``}
      select (select count(*) from matched) as "audienceSize", (select coalesce(sum(size), 0)::bigint from batches) as enrolled,
             ${zones ? ZONES_FOUND : sql`null`} as zones, ${test ? sql`(select to_jsonb(ends) from bounds)` : sql`null::jsonb`} as "testBounds"`,
  );
}

/** The column of `matched` by which a test parts people, behind a comma, if there is one. */
function asBucket(bucket: RawBuilder<number> | undefined): RawBuilder<unknown> {
  return bucket ? sql`, ${bucket} as bucket` : sql``;
}

/**
 * The CTE `bounds`, its comma behind it: at which bucket each arm ends, so that each has its share of the recipients, rounded, and one at
 * least as far as there are so many. That is the bucket of the first one who is of it no more.
 */
function boundsOf({ arms, share }: { readonly arms: number; readonly share: number }): RawBuilder<unknown> {
  return sql`
    bounds as materialized (
      select array_agg(coalesce(r.bucket, ${BUCKETS}::bigint) order by a.arm) as ends
      from generate_series(1, ${arms}::integer) a(arm)
      cross join (select greatest(1, round(count(*) * ${share}::integer / 100.0)) as size from matched where left_out_by is null) s
      left join (
        select bucket, row_number() over (order by bucket) as place from matched where left_out_by is null) r on r.place = a.arm * s.size + 1
    ),`;
}

/** Who matched, and whether they are of the rest. */
const PARTED = sql`(select m.*, m.bucket >= b.ends[array_upper(b.ends, 1)] as is_rest from matched m cross join bounds b) parted`;

/**
 * The CTEs `zones` and `matched`, which has the number of each one's zone in the order of their times, so that people are sorted once, by a number. Who has
 * come from a zone since these were asked counts as without one.
 */
function matchedByZone(
  matching: RawBuilder<unknown>,
  zones: readonly ZoneTime[],
  { bucket, skipsLate }: Pick<AudienceInTime, 'skipsLate'> & { readonly bucket: RawBuilder<number> | undefined },
): RawBuilder<unknown> {
  const given = zones
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ timezone, at, isLate }, nth) => ({ nth, zone: timezone ?? '', at, is_late: isLate && skipsLate }));
  return sql`
    zones as materialized (select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as z(nth integer, zone text, at timestamptz, is_late boolean)),
    matched as materialized (
      select m.id, coalesce(m.left_out_by, case when coalesce(z.is_late, d.is_late) then 'late' end) as left_out_by, coalesce(z.nth, d.nth) as nth ${asBucket(bucket)}
      from (${matching}) m join zones d on d.zone = '' left join zones z on z.zone = m.timezone)`;
}

/** At the times of their zones, which hold for those who wait for a winner, too. */
const ZONES_FOUND = sql`(select coalesce(json_agg(z order by z.at, z.timezone nulls first), '[]') from (
  select nullif(zone, '') as timezone, at, sum(size)::integer as recipients from batches join zones using (zone) group by zone, at) z)`;

/** The zones of those who match the audience. Undefined when the segment is gone. */
export async function zonesOfAudience(tx: EntityManager, of: Pick<AudienceOf, 'projectId' | 'audience'>): Promise<string[] | undefined> {
  const isIn = await condition(tx, of.projectId, of.audience);
  if (!isIn) return undefined;
  const found = await rows(
    tx,
    sql<{ timezone: string }>`
      select distinct c.timezone from contacts c where c.project_id = ${of.projectId}::uuid and c.timezone is not null and ${isIn}`,
  );
  return found.map(({ timezone }) => timezone);
}

/** The numbers alone, for a campaign that resolves when it runs. Undefined when the segment is gone. */
export async function countAudience(em: EntityManager, of: AudienceOf): Promise<AudienceCounts | undefined> {
  const matching = await matchingContacts(em, of);
  if (!matching) return undefined;
  return row(
    em,
    sql<AudienceCounts>`select count(*) as "audienceSize", count(*) filter (where left_out_by is null) as enrolled from (${matching}) matched`,
  );
}

/**
 * The same for a campaign that is still to be launched: addresses of a list that are no contacts yet become such then, and are counted as those.
 * Undefined when the segment is gone.
 */
export async function countAtLaunch(em: EntityManager, of: AudienceAtLaunch): Promise<AudienceCounts | undefined> {
  const matching = await matchingAtLaunch(em, of);
  return (
    matching &&
    row(em, sql<AudienceCounts>`select count(*) as "audienceSize", count(*) filter (where gets_it) as enrolled from (${matching}) matched`)
  );
}

/** A digest of the addresses that would get it, of a campaign that is still to be launched; else as countAtLaunch. */
export async function digestAtLaunch(em: EntityManager, of: AudienceAtLaunch): Promise<string | undefined> {
  const matching = await matchingAtLaunch(em, of);
  return matching && digestOf(em, sql`select email from (${matching}) m where gets_it`);
}

/** Those whom it would be for, and whether they would get it. */
async function matchingAtLaunch(em: EntityManager, of: AudienceAtLaunch): Promise<RawBuilder<unknown> | undefined> {
  const { projectId, audience, topic, lateZones } = of;
  const matching =
    audience.mode === 'people'
      ? sql`
        select e.email, c.timezone, ${campaignRefusal({ projectId: sql`${projectId}::uuid`, email: sql`e.email`, topic })} as left_out_by
        from unnest(${audience.emails}::text[]) as e(email) left join contacts c on c.project_id = ${projectId}::uuid and c.email = e.email`
      : await matchingContacts(em, of);
  if (!matching || lateZones.length === 0) return matching && sql`select email, left_out_by is null as gets_it from (${matching}) m`;
  const late = lateZones.map((zone) => zone ?? '');
  return sql`select email, left_out_by is null and coalesce(timezone, '') <> all (${late}::text[]) as gets_it from (${matching}) m`;
}

/** The same of the batches that a campaign has. */
export async function digestOfBatches(tx: EntityManager, campaignId: string): Promise<string | undefined> {
  return digestOf(
    tx,
    sql`select c.email from campaign_pages p cross join unnest(p.contact_ids) r(id) join contacts c using (id) where p.campaign_id = ${campaignId}::uuid`,
  );
}

/** SHA-256 over the addresses that a query has, whatever their order, by parts: no text grows with the audience. */
async function digestOf(em: EntityManager, emails: RawBuilder<unknown>): Promise<string | undefined> {
  const found = await row(
    em,
    sql<{ digest: string }>`
      select encode(sha256(coalesce(string_agg(digest, '' order by part), '')), 'hex') as digest
      from (select left(md5(email), 3) as part, sha256(convert_to(string_agg(email, chr(10) order by email collate "C"), 'UTF8')) as digest
            from (${emails}) e group by 1) parts`,
  );
  return found?.digest;
}

/** Those whom it is for, with why they get none. */
async function matchingContacts(em: EntityManager, { projectId, audience, topic }: AudienceOf): Promise<RawBuilder<unknown> | undefined> {
  const isIn = await condition(em, projectId, audience);
  return (
    isIn &&
    sql`
      select c.id, c.email, c.timezone, ${campaignRefusal({ projectId: sql`c.project_id`, email: sql`c.email`, topic })} as left_out_by
      from contacts c where c.project_id = ${projectId}::uuid and ${isIn}`
  );
}

/** Until the transaction ends nobody else resolves this campaign. Its row stays free for whoever pauses or cancels it. */
export async function lockResolving(tx: EntityManager, campaignId: string): Promise<void> {
  await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`resolve campaign ${campaignId}`}, 0))`);
}

async function condition(em: EntityManager, projectId: string, audience: Audience): Promise<RawBuilder<unknown> | undefined> {
  switch (audience.mode) {
    case 'entire':
      return sql`true`;
    case 'tag':
      return sql`c.tags @> array[${audience.tag}]`;
    case 'people':
      return sql`c.email = any(${audience.emails}::text[])`;
    case 'segment': {
      const segments = tables(em).selectFrom('segments').where('project_id', '=', projectId).where('id', '=', audience.segmentId);
      const segment = await segments.select(['filter', 'brand_id']).executeTakeFirst();
      return segment && inSegment(segment, 'c');
    }
    default:
      return audience satisfies never;
  }
}

/** Where a contact stands among all of a campaign: domain/buckets.ts. */
function bucketIn(campaignId: string): RawBuilder<number> {
  return sql`('x' || substr(md5(${campaignId} || ':' || id), 1, 8))::bit(32)::bigint & 4294967295`;
}

function recipientsByVariant(campaignId: string, variants: readonly CampaignVariant[], test: object | undefined): RawBuilder<unknown> {
  const weighed = bucketBounds(variants);
  const end = (index: number): RawBuilder<unknown> => (test ? sql`ends[${sql.lit(index + 1)}]` : sql`${weighed[index]}::bigint`);
  const arms = variants.map(({ key }, index) => sql`when bucket < ${end(index)} then ${key}`);
  return sql`
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select ${campaignId}::uuid, variant, 'recipients', count(*)
    from (select case ${sql.join(arms, sql` `)} else ${UNDECIDED} end as variant
          from (select ${bucketIn(campaignId)} as bucket from numbered) hashed ${test ? sql`cross join bounds` : sql``}) arms
    group by variant`;
}
