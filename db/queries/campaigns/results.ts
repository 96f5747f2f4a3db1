import { type RawBuilder, sql } from 'kysely';
import { type Goal, MAX_SUMMED } from '../../../domain/campaigns/goal.ts';
import {
  BUCKETS,
  type Bucket,
  bucketOf,
  type Conversions,
  type FirstHits,
  type LanguageCounts,
  type LinkClicks,
  type Links,
  LONGEST_LINK,
  MOST_LINKS,
  MOST_RECEIVERS,
  NO_LINKS,
  NO_RECEIVERS,
  noConversions,
  type ReceiverCounts,
  type Receivers,
} from '../../../domain/campaigns/results.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { isOfType } from '../contacts/contact-history.ts';

/** Mails `s` of a campaign, those that were followed by another among them: what people did with any of them counts. */
function mailsOf(id: string): RawBuilder<unknown> {
  return sql`sends s where s.source_type = 'campaign' and s.source_id = ${id}`;
}

/** Recipients by the hour or day (UTC) in which they opened, and clicked, for the first time; without those that nobody did it in. */
export async function countOverTime(em: EntityManager, id: string, bucket: Bucket, startedAt: Date): Promise<FirstHits[]> {
  const from = bucketOf(startedAt, bucket);
  const until = new Date(from + BUCKETS[bucket].ms * BUCKETS[bucket].most);
  return rows(
    em,
    sql<FirstHits>`
      select date_trunc(${bucket}, h.at, 'UTC') as "from", count(*) filter (where h.opens) as opened, count(*) filter (where not h.opens) as clicked
      from (select s.first_opened_at, s.first_clicked_at from ${mailsOf(id)} and (s.open_count > 0 or s.click_count > 0)) hit
      cross join lateral (values (hit.first_opened_at, true), (hit.first_clicked_at, false)) as h(at, opens)
      where h.at >= ${new Date(from)} and h.at < ${until} group by 1 order by 1`,
  );
}

/** The address `url` as far as it is nobody's own. */
export const WITHOUT_QUERY = sql.raw(`split_part(split_part(url, '#', 1), '?', 1)`);

/** Of an address that one person alone has followed the query is not told: it may be theirs. */
const SHOWN_URL = sql`case when people > 1 then url else ${WITHOUT_QUERY} end`;

/**
 * `forGood`: links that one person alone has followed are among the others, so that nothing of them has to be erased later. What is not in
 * send_hits any more still counts as clicks.
 */
export async function countLinks(em: EntityManager, id: string, forGood: boolean): Promise<Links> {
  const [found] = await rows(
    em,
    sql<{ readonly most: readonly LinkClicks[] | null; readonly links: number; readonly clicks: number }>`
      with hit as (
        select h.send_id, h.url, h.count, count(*) over (partition by h.url) as people
        from (select s.id from ${mailsOf(id)} and s.click_count > 0) clicked
        join send_hits h on h.send_id = clicked.id and h.kind = 'clicked' and not h.is_bot and length(h.url) <= ${sql.lit(LONGEST_LINK)}
      ), link as (
        select ${SHOWN_URL} as url, sum(count) as clicks, count(distinct send_id) as people from hit group by 1
      ), most as (
        select url, clicks, people from link where people > 1 or not ${forGood}::boolean order by clicks desc, url limit ${sql.lit(MOST_LINKS)}
      )
      select (select json_agg(most order by clicks desc, url) from most) as most, (select count(*) from link) as links,
             (select coalesce(sum(s.click_count), 0)::bigint from ${mailsOf(id)} and s.click_count > 0) as clicks`,
  );
  return found ? { ...found, most: found.most ?? [] } : NO_LINKS;
}

/** Whether a provider has reported it before something worse, which is what stands at the mail. Few mails are looked at. */
function hadReported(type: 'delivered' | 'bounced'): RawBuilder<unknown> {
  return sql`exists (select 1 from provider_events p where p.send_id = s.id and p.type = ${sql.lit(type)})`;
}

/** The counts of mails `s`, as the campaign's own counters count. */
const COUNTS = sql`count(*) filter (where s.status = 'sent' and s.retried_as is null) as sent,
               count(*) filter (where s.delivery_status = 'delivered' or s.delivery_status in ('bounced', 'complained') and ${hadReported('delivered')}) as delivered,
               count(*) filter (where s.delivery_status = 'bounced' or s.delivery_status = 'complained' and ${hadReported('bounced')}) as bounced,
               count(s.first_opened_at) as opened, count(s.first_clicked_at) as clicked`;

/** Those to whom the most was sent come first. */
export async function countLanguages(em: EntityManager, id: string): Promise<LanguageCounts[]> {
  return rows(em, sql<LanguageCounts>`select s.locale, ${COUNTS} from ${mailsOf(id)} group by 1 order by sent desc, locale nulls first`);
}

/** By domain, as the campaign's own counters count. Of people who were erased no domain is known: they are among the others. */
export async function countReceivers(em: EntityManager, id: string): Promise<Receivers> {
  const found = await rows(
    em,
    sql<{ readonly domain: string | null; readonly receivers: number } & ReceiverCounts>`
      with receiver as (
        select split_part(s.to_email, '@', 2) as domain, ${COUNTS}
        from ${mailsOf(id)} group by 1
      ), ranked as (
        select *, row_number() over (order by domain = '', sent desc, domain) <= ${sql.lit(MOST_RECEIVERS)} and domain <> '' as is_shown from receiver
      )
      select case when is_shown then domain end as domain, count(*) filter (where domain <> '') as receivers, sum(sent)::bigint as sent,
             sum(delivered)::bigint as delivered, sum(bounced)::bigint as bounced, sum(opened)::bigint as opened, sum(clicked)::bigint as clicked
      from ranked group by 1 order by sent desc, domain`,
  );
  const most: ({ domain: string } & ReceiverCounts)[] = [];
  let { others } = NO_RECEIVERS;
  for (const { domain, receivers, ...counts } of found) {
    if (domain === null) others = { receivers, ...counts };
    else most.push({ domain, ...counts });
  }
  return { most, others };
}

/** What conversions are counted by. */
export interface ConversionsOf {
  readonly id: string;
  readonly goal: Goal;
  /** Events of test keys count too: none of its mails has left. */
  readonly isSandboxed: boolean;
}

/**
 * By variant. Of an event that comes after two mails to the same person the first counts, so that it counts once. `offset 0` has the events of each
 * recipient looked up by themselves, where the planner would rather read those of everybody.
 */
export async function countConversions(
  em: EntityManager,
  { id, goal: { event, withinHours, sum }, isSandboxed }: ConversionsOf,
): Promise<Record<string, Conversions>> {
  const within = sql`make_interval(hours => ${sql.lit(withinHours)})`;
  const value = sum === null ? sql`null::jsonb` : sql`e.data -> ${sum}::text`;
  const number = sql.raw(
    `case when jsonb_typeof(value) = 'number' and abs((value #>> '{}')::numeric) <= ${MAX_SUMMED} then (value #>> '{}')::numeric end`,
  );
  const found = await rows(
    em,
    sql<{ readonly variant: string; readonly people: number; readonly events: number; readonly sum: number; readonly not_summed: number }>`
      with conversion as (
        select distinct on (e.id) s.contact_id, s.variant, e.value
        from (select * from ${mailsOf(id)} and s.status = 'sent') s cross join lateral (
          select e.id, ${value} as value from events e
          where e.contact_id = s.contact_id and e.project_id = s.project_id and e.created_at > s.created_at and e.created_at <= s.created_at + ${within}
            and ${isOfType(event, isSandboxed, 'e.type')} offset 0) e
        order by e.id, s.created_at
      )
      select coalesce(variant, '') as variant, count(distinct contact_id) as people, count(*) as events,
             coalesce(sum(${number}), 0)::double precision as sum, count(*) - count(${number}) as not_summed
      from conversion group by 1`,
  );
  const isSummed = sum !== null;
  return Object.fromEntries(
    found.map(({ variant, sum, not_summed, ...counts }) => [
      variant,
      isSummed ? { ...counts, sum, not_summed } : { ...noConversions({ event, withinHours, sum: null }), ...counts },
    ]),
  );
}
