import { type RawBuilder, sql } from 'kysely';
import { IN_HAND_MS, OUTAGE_PATIENCE_MS } from '../../domain/hand-over-times.ts';
import type { CampaignPageRow, CampaignRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { prepared, row, rows } from '../rows.ts';
import { CAMPAIGN_GATE, CAMPAIGN_STOP } from './send-gates.ts';
import { IN_DOUBT, intentRow, type SendIntent } from './send-intents.ts';
import { type Ended, outcomeColumns, outcomeStatements, writeOutcomes } from './send-outcomes.ts';

/** A page that this process holds: the token fences it off from whoever takes it after the lease. */
export interface HeldPage extends Pick<CampaignPageRow, 'campaign_id' | 'no' | 'contact_ids' | 'send_ids' | 'attempts'> {
  readonly token: NonNullable<CampaignPageRow['token']>;
}

/** What the row of a mail takes from its intent: the columns, and the same with their types in JSON beside the instant. */
const INTENT_COLUMNS = sql.raw('id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, variant');
const INTENT = sql.raw(`id uuid, project_id uuid, contact_id uuid, brand_id text, to_email text, template text, type text, subject text,
  source_type text, source_id text, variant text, now timestamptz`);

/** Unopened pages go back to the others after this long. */
const LEASE_SECONDS = 30;

/**
 * All that decides about pages in hand is written and compared by PostgreSQL's clock, never by that of a process: the one that opens a page,
 * the one that cancels and the one that settles what is in doubt may be on machines whose clocks differ.
 */
function interval(milliseconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${milliseconds / 1000}::double precision)`;
}

const CLAIM = prepared(sql<Omit<HeldPage, 'token'>>`
  update campaign_pages g set state = 'leased', token = $3::uuid, available_at = now() + make_interval(secs => $4::double precision)
  from (select campaign_id, no from campaign_pages where campaign_id = $1::uuid and available_at <= now()
        order by available_at, no limit $2::integer for update skip locked) due
  where g.campaign_id = due.campaign_id and g.no = due.no
  returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.attempts`);

/** Takes at most so many pages that nobody holds. */
export async function claimPages(em: EntityManager, campaignId: string, most: number, token: string): Promise<HeldPage[]> {
  const pages = await CLAIM(em, [campaignId, most, token, LEASE_SECONDS]);
  return pages.map((page) => ({ ...page, token }));
}

/** What a campaign under a rate may take at this moment. */
export interface PacedClaim {
  /** None before its turn has come, and when there is none. */
  readonly page: HeldPage | undefined;
  /** How long until the next one may be taken. */
  readonly pauseMs: number;
  /** Whether there are others. */
  readonly hasMore: boolean;
}

/** The turn is locked before it is read, and the next one is counted from when this one was really taken. */
const CLAIM_PACED = prepared(sql<Partial<Omit<HeldPage, 'token'>> & Omit<PacedClaim, 'page'>>`
  with turn as materialized (
    select 1 from campaigns where id = $1::uuid and coalesce(next_page_at, '-infinity') <= now() for no key update
  ), due as materialized (
    select campaign_id, no from campaign_pages where campaign_id = $1::uuid and available_at <= now() and exists (select 1 from turn)
    order by available_at, no limit 1 for update skip locked
  ), claimed as (
    update campaign_pages g set state = 'leased', token = $2::uuid, available_at = now() + make_interval(secs => $3::double precision)
    from due where g.campaign_id = due.campaign_id and g.no = due.no
    returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.attempts
  ), paced as (
    update campaigns c set
      next_page_at = clock_timestamp() + make_interval(secs => cardinality(p.contact_ids)::double precision / c.rate_per_second)
    from claimed p where c.id = p.campaign_id returning c.next_page_at
  )
  select p.*,
    coalesce(extract(epoch from coalesce(paced.next_page_at, c.next_page_at) - clock_timestamp()) * 1000, 0)::double precision as "pauseMs",
    exists (select 1 from campaign_pages g where g.campaign_id = c.id and g.available_at < 'infinity' and g.no is distinct from p.no) as "hasMore"
  from campaigns c left join claimed p on true left join paced on true where c.id = $1::uuid`);

/** The same for a campaign under a rate: one page, and none before those taken last have had their time, whoever took them. */
export async function claimPacedPage(em: EntityManager, campaignId: string, token: string): Promise<PacedClaim> {
  const [found] = await CLAIM_PACED(em, [campaignId, token, LEASE_SECONDS]);
  if (!found) return { page: undefined, pauseMs: 0, hasMore: false };
  const { pauseMs, hasMore, ...page } = found;
  return { page: page.campaign_id ? { ...(page as Omit<HeldPage, 'token'>), token } : undefined, pauseMs, hasMore };
}

type PageKey = Pick<HeldPage, 'campaign_id' | 'no' | 'token'>;

/** Gives a page back as it is, of which surely nothing was handed over. One that was taken away meanwhile is not ours to give. */
export async function giveBack(em: EntityManager, { campaign_id, no, token }: PageKey): Promise<void> {
  await row(
    em,
    sql`update campaign_pages set state = 'pending', token = null, opened_at = null, available_at = now()
        where campaign_id = ${campaign_id} and no = ${no} and token = ${token}`,
  );
}

/**
 * `stop`: why nothing of the page may go now. `lost`: another process has it. `opened`: the word of the gate for each intent, null for those
 * that may go.
 */
export type OpenedPage =
  | { readonly state: 'stopped'; readonly by: string }
  | { readonly state: 'lost' }
  | { readonly state: 'opened'; readonly verdicts: readonly (string | null)[] };

const OPEN = prepared(sql<{ place: number | null; verdict: string | null; stop: string | null; is_open: boolean }>`
  with page as materialized (
    select * from json_to_recordset($1::json) as r(place integer, ${INTENT}, error text)
  ), campaign as materialized (
    select c.id, ${CAMPAIGN_STOP} as stop from campaigns c join projects p on p.id = c.project_id where c.id = $2::uuid for share of c
  ), judged as materialized (
    select r.*, case when c.stop is null then ${CAMPAIGN_GATE.verdict} end as verdict from page r cross join campaign c
  ), opened as (
    update campaign_pages g set state = 'open', opened_at = now(), available_at = 'infinity',
           contact_ids = coalesce(j.contact_ids, '{}'), send_ids = coalesce(j.send_ids, '{}'), subjects = j.subjects, variants = j.variants
    from campaign c, (
      select array_agg(contact_id order by place) as contact_ids, array_agg(id order by place) as send_ids,
             array_agg(subject order by place) as subjects, array_agg(variant order by place) as variants
      from judged where verdict is null and error is null) j
    where c.stop is null and g.campaign_id = c.id and g.no = $3::integer and g.token = $4::uuid and g.state = 'leased' returning g.no
  ), failed as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, error, closed_at)
    select ${INTENT_COLUMNS}, now, now, 'failed', error, now
    from judged where verdict is null and error is not null and exists (select 1 from opened) on conflict do nothing returning variant
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select $2::uuid, coalesce(variant, ''), 'failed', count(*) from failed group by variant
    union all
    select $2::uuid, coalesce(variant, ''), 'skipped', count(*) from judged where verdict is not null and exists (select 1 from opened)
    group by variant
  )
  select j.place, j.verdict, c.stop, exists (select 1 from opened) as is_open from campaign c left join judged j on true`);

/**
 * Writes the intents of a page in one statement, where campaign and recipients let it be: those that may go stand in its row from then on,
 * the others are settled. The campaign's row is shared until the statement is done, so that of a cancellation and a page one is first.
 */
export async function openPage(em: EntityManager, page: PageKey, intents: readonly SendIntent[]): Promise<OpenedPage> {
  const found = await OPEN(em, [
    JSON.stringify(intents.map((intent, place) => ({ place, ...intentRow(intent) }))),
    page.campaign_id,
    page.no,
    page.token,
  ]);
  const [first] = found;
  if (!first) return { state: 'lost' };
  if (first.stop !== null) return { state: 'stopped', by: first.stop };
  if (!first.is_open) return { state: 'lost' };
  const verdicts = new Array<string | null>(intents.length).fill(null);
  for (const { place, verdict } of found) if (place !== null) verdicts[place] = verdict;
  return { state: 'opened', verdicts };
}

/** What an open page comes to when all of its mails have ended. */
export interface PageEnd {
  /** Contacts whose mails the provider may take later. */
  readonly later: readonly string[];
  /** How long until they may be tried again. */
  readonly pauseMs: number;
  /** Whether it was the provider that wanted them later, and not the campaign that was stopped. */
  readonly wasAway: boolean;
}

/** How the mail of a recipient ended. */
export interface RecipientClosing extends Ended {
  readonly intent: SendIntent;
}

const CLOSING = outcomeStatements(sql`
  page as materialized (
    select * from json_to_recordset($1::json) as r(${INTENT}, status text, provider_id text, error text)
  ), closed as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, provider_id, error, closed_at)
    select ${INTENT_COLUMNS}, now, now, status, provider_id, error, now() from page
    on conflict do nothing returning *
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select source_id::uuid, coalesce(variant, ''), status, count(*) from closed group by source_id, variant, status
  )`);

/** Writes the rows of mails that have their outcome, each once for its contact: whoever settled it before has the word. */
export async function closeRecipients(em: EntityManager, page: readonly RecipientClosing[]): Promise<void> {
  await writeOutcomes(em, CLOSING, page, ({ intent, outcome }) => ({ ...intentRow(intent), ...outcomeColumns(outcome) }));
}

/**
 * Ends an open page, all of whose outcomes are written. What is left for later becomes a pending page, unless the campaign was cancelled
 * meanwhile: its row is shared, so that a cancellation finds it there or here. What the provider has wanted later for too long is skipped.
 */
export async function endPage(em: EntityManager, { campaign_id, no, token }: PageKey, end: PageEnd): Promise<void> {
  const mine = sql`campaign_id = ${campaign_id} and no = ${no} and token = ${token} and state = 'open'`;
  if (end.later.length === 0) {
    await row(em, sql`delete from campaign_pages where ${mine}`);
    return;
  }
  const { later, pauseMs, wasAway } = end;
  await row(
    em,
    sql`
      with campaign as materialized (
        select case when c.status = 'cancelled' then 'cancelled'
                    when ${wasAway} and g.first_later_at <= now() - ${interval(OUTAGE_PATIENCE_MS)} then 'skipped' end as settled
        from campaigns c join campaign_pages g on g.campaign_id = c.id and g.no = ${no} where c.id = ${campaign_id} for share of c
      ), kept as (
        update campaign_pages set state = 'pending', token = null, opened_at = null, send_ids = null, subjects = null, variants = null,
               contact_ids = ${later}::uuid[], available_at = now() + ${interval(pauseMs)}, attempts = attempts + ${wasAway ? 1 : 0},
               first_later_at = case when ${wasAway} then coalesce(first_later_at, now()) else first_later_at end
        where ${mine} and (select settled from campaign) is null
      ), settled as (
        delete from campaign_pages where ${mine} and (select settled from campaign) is not null returning 1
      )
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select ${campaign_id}::uuid, '', c.settled, ${later.length} from settled, campaign c`,
  );
}

/** Takes away every page that is not open, when none of it may go any more. Returns how many recipients they had. */
export async function dropPages(tx: EntityManager, campaignId: string): Promise<number> {
  const dropped = await row(
    tx,
    sql<{ recipients: number }>`
      with gone as (delete from campaign_pages where campaign_id = ${campaignId} and state <> 'open' returning cardinality(contact_ids) as size)
      select coalesce(sum(size), 0)::bigint as recipients from gone`,
  );
  return dropped?.recipients ?? 0;
}

/**
 * Gives the mails of open pages whose process has died their outcome, `outcome_unknown`: all that have none yet. `ageMs`: how long they have
 * been open at least. Returns how many pages there were.
 */
export async function settlePagesInDoubt(em: EntityManager, campaignId: string, ageMs: number): Promise<number> {
  const settled = await rows(
    em,
    sql`
      with gone as materialized (
        select * from campaign_pages where campaign_id = ${campaignId} and state = 'open' and opened_at <= now() - ${interval(ageMs)} for update skip locked
      ), written as (
        insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, error, closed_at)
        select m.id, c.project_id, k.id, c.brand_id, coalesce(k.email, ''), c.template, c.type, m.subject, 'campaign', c.id::text, m.variant,
               g.opened_at, g.opened_at, 'failed', ${IN_DOUBT}::text, now()
        from gone g join campaigns c on c.id = g.campaign_id
        cross join lateral unnest(g.send_ids, g.contact_ids, g.subjects, g.variants) as m(id, contact_id, subject, variant)
        left join contacts k on k.project_id = c.project_id and k.id = m.contact_id
        on conflict do nothing returning variant
      ), counted as (
        insert into campaign_counts (campaign_id, variant, counter, delta)
        select ${campaignId}::uuid, coalesce(variant, ''), 'failed', count(*) from written group by variant
      )
      delete from campaign_pages g using gone d where g.campaign_id = d.campaign_id and g.no = d.no returning g.no`,
  );
  return settled.length;
}

/** Where the provider deduplicates, mails in doubt are handed over again under the same ids. */
export async function reopenPagesInDoubt(em: EntityManager, campaignId: string, ageMs: number): Promise<number> {
  const reopened = await rows(
    em,
    sql`
      update campaign_pages g set state = 'pending', token = null, available_at = '-infinity'
      where campaign_id = ${campaignId} and state = 'open' and opened_at <= now() - ${interval(ageMs)} returning no`,
  );
  return reopened.length;
}

/** What stands of a campaign's pages. */
export interface PagesLeft {
  /** Pages that can be taken now, as far as they were counted. */
  readonly available: number;
  readonly open: number;
  /** When the next one can be taken, or an open one be looked at; null when there is none. */
  readonly nextAt: Date | null;
  /** Whether a process has that one in hand, or any open one: it may be done with it at any moment. */
  readonly isInHand: boolean;
}

/**
 * `most`: available pages that are counted. Of a million recipients' pages only those are read, and the open ones. `inDoubtAfterMs`: how long
 * after its opening an open one is looked at.
 */
export async function pagesLeft(
  em: EntityManager,
  campaignId: string,
  { most, inDoubtAfterMs }: { readonly most: number; readonly inDoubtAfterMs: number },
): Promise<PagesLeft> {
  const found = await row(
    em,
    sql<PagesLeft>`
      select open.open, least(open.next_at, pending.next_at) as "nextAt", open.open > 0 or coalesce(pending.is_leased, false) as "isInHand",
             (select count(*) from (
                select 1 from campaign_pages where campaign_id = ${campaignId} and available_at <= now() limit ${most}) due) as available
      from (select count(*) as open, min(opened_at) + ${interval(inDoubtAfterMs)} as next_at
            from campaign_pages where campaign_id = ${campaignId} and state = 'open') open
      left join (select greatest(available_at, '2000-01-01') as next_at, state = 'leased' as is_leased
                 from campaign_pages where campaign_id = ${campaignId} and available_at < 'infinity' order by available_at limit 1) pending on true`,
  );
  return found as PagesLeft;
}

/** Whether a living process may still hand over mails of a campaign. Those of a process that has died are in hand no more after a while. */
export async function isInHand(em: EntityManager, campaignId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ inHand: boolean }>`
      select exists (select 1 from campaign_pages where campaign_id = ${campaignId} and state = 'open' and opened_at > now() - ${interval(IN_HAND_MS)})
        as "inHand"`,
  );
  return found?.inHand ?? false;
}

/** Ends the pauses of pages that wait for the provider. */
export async function hurryPages(em: EntityManager, campaignId: string): Promise<void> {
  await row(
    em,
    sql`update campaign_pages set available_at = '-infinity' where campaign_id = ${campaignId} and state = 'pending' and available_at > now()`,
  );
}

/** Which of these campaigns may not send at this moment. */
export async function stoppedCampaigns(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<CampaignRow, 'id'>>`
      select c.id from campaigns c join projects p on p.id = c.project_id where c.id = any(${ids}::uuid[]) and ${CAMPAIGN_STOP} is not null`,
  );
  return found.map(({ id }) => id);
}
