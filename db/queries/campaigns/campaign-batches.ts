import { type RawBuilder, sql } from 'kysely';
import { OUTCOME_UNKNOWN_ERROR } from '../../../domain/sends/outcome-unknown.ts';
import { IN_FLIGHT_MS, KEY_VALID_MS, OUTAGE_PATIENCE_MS } from '../../../domain/sends/submission-times.ts';
import type { CampaignBatchRow, CampaignRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row, rows } from '../../rows.ts';
import { type CampaignStop, type GateVerdict, plainVerdict } from '../sends/gate-verdict.ts';
import { CAMPAIGN_GATE, CAMPAIGN_STOP } from '../sends/send-gates.ts';
import { intentRow, type SendIntent } from '../sends/send-intents.ts';
import {
  type ClosedSend,
  type Ended,
  OUTCOME_ERROR,
  outcomeColumns,
  outcomeStatements,
  TAKES_LATE_OUTCOME,
  writeOutcomes,
} from '../sends/send-outcomes.ts';

/** A batch that this process holds: the token fences it off from whoever takes it after the lease. */
export interface HeldBatch extends Pick<CampaignBatchRow, 'campaign_id' | 'no' | 'contact_ids' | 'send_ids' | 'doubted_at' | 'attempts'> {
  readonly token: NonNullable<CampaignBatchRow['token']>;
}

/** What the row of a mail takes from its intent: the columns, and the same with their types in JSON beside the instant. */
const INTENT_COLUMNS = sql.raw('id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, variant');
const INTENT = sql.raw(`id uuid, project_id uuid, contact_id uuid, brand_id text, to_email text, template text, type text, subject text,
  source_type text, source_id text, variant text`);

/** Unopened batches go back to the others after this long. */
const LEASE_SECONDS = 30;

/**
 * All that decides about batches in flight is written and compared by PostgreSQL's clock, never by that of a process: the one that opens a batch,
 * the one that cancels and the one that settles what a dead process has left may be on machines whose clocks differ.
 */
function interval(milliseconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${milliseconds / 1000}::double precision)`;
}

const CLAIM = preparedStatement(sql<Omit<HeldBatch, 'token'>>`
  update campaign_pages g set state = 'leased', token = $3::uuid, available_at = now() + make_interval(secs => $4::double precision)
  from (select campaign_id, no from campaign_pages where campaign_id = $1::uuid and available_at <= now()
        order by available_at, no limit $2::integer for update skip locked) due
  where g.campaign_id = due.campaign_id and g.no = due.no
  returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.doubted_at, g.attempts`);

/** Takes at most so many batches that nobody holds. */
export async function claimBatches(em: EntityManager, campaignId: string, most: number, token: string): Promise<HeldBatch[]> {
  const batches = await CLAIM(em, [campaignId, most, token, LEASE_SECONDS]);
  return batches.map((batch) => ({ ...batch, token }));
}

/** What a campaign under a rate may take at this moment. */
export interface PacedClaim {
  /** None before its turn has come, and when there is none. */
  readonly batch: HeldBatch | undefined;
  /** How long until the next one may be taken. */
  readonly pauseMs: number;
  /** Whether there are others. */
  readonly hasMore: boolean;
}

/** The turn is locked before it is read, and the next one is counted from when this one was really taken. */
const CLAIM_PACED = preparedStatement(sql<Partial<Omit<HeldBatch, 'token'>> & Omit<PacedClaim, 'batch'>>`
  with turn as materialized (
    select 1 from campaigns where id = $1::uuid and coalesce(next_page_at, '-infinity') <= now() for no key update
  ), due as materialized (
    select campaign_id, no from campaign_pages where campaign_id = $1::uuid and available_at <= now() and exists (select 1 from turn)
    order by available_at, no limit 1 for update skip locked
  ), claimed as (
    update campaign_pages g set state = 'leased', token = $2::uuid, available_at = now() + make_interval(secs => $3::double precision)
    from due where g.campaign_id = due.campaign_id and g.no = due.no
    returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.doubted_at, g.attempts
  ), paced as (
    update campaigns c set
      next_page_at = clock_timestamp() + make_interval(secs => cardinality(p.contact_ids)::double precision / c.rate_per_second)
    from claimed p where c.id = p.campaign_id returning c.next_page_at
  )
  select p.*,
    coalesce(extract(epoch from coalesce(paced.next_page_at, c.next_page_at) - clock_timestamp()) * 1000, 0)::double precision as "pauseMs",
    exists (select 1 from campaign_pages g where g.campaign_id = c.id and g.available_at < 'infinity' and g.no is distinct from p.no) as "hasMore"
  from campaigns c left join claimed p on true left join paced on true where c.id = $1::uuid`);

/** The same for a campaign under a rate: one batch, and none before those taken last have had their time, whoever took them. */
export async function claimPacedBatch(em: EntityManager, campaignId: string, token: string): Promise<PacedClaim> {
  const [found] = await CLAIM_PACED(em, [campaignId, token, LEASE_SECONDS]);
  if (!found) return { batch: undefined, pauseMs: 0, hasMore: false };
  const { pauseMs, hasMore, ...batch } = found;
  return { batch: batch.campaign_id ? { ...(batch as Omit<HeldBatch, 'token'>), token } : undefined, pauseMs, hasMore };
}

type BatchKey = Pick<HeldBatch, 'campaign_id' | 'no' | 'token'>;

/** Gives a batch back as it is, of which surely nothing was submitted. One that was taken away meanwhile is not ours to give. */
export async function giveBack(em: EntityManager, { campaign_id, no, token }: BatchKey): Promise<void> {
  await row(
    em,
    sql`update campaign_pages set state = 'pending', token = null, opened_at = null, available_at = now()
        where campaign_id = ${campaign_id} and no = ${no} and token = ${token}`,
  );
}

/**
 * `stopped`: nothing of the batch may go now. `lost`: another process has it. `opened`: the verdict of the gate for each intent, null for those
 * that may go; those that may have been submitted and may not go again are `outcome_unknown`, and have their outcome.
 */
export type OpenedBatch =
  | { readonly state: 'stopped'; readonly reason: CampaignStop }
  | { readonly state: 'lost' }
  | { readonly state: 'opened'; readonly openedAt: Date; readonly verdicts: readonly (GateVerdict | null)[] };

/** Of a mail of unknown outcome that is not submitted again. */
const UNKNOWN = plainVerdict('outcome_unknown');

/** What an opening needs to know beside the intents. */
export interface BatchOpening {
  /** Whether the provider deduplicates by the id of a send: only then a mail of unknown outcome may be submitted again, for as long as it keeps the id. */
  readonly deduplicates: boolean;
  readonly journal: string | null;
}

const OPEN = preparedStatement(sql<{
  place: number | null;
  verdict: GateVerdict | null;
  stop: CampaignStop | null;
  opened_at: Date | null;
}>`
  with batch as materialized (
    select * from json_to_recordset($1::json) as r(place integer, ${INTENT}, error text, doubted_at timestamptz)
  ), campaign as materialized (
    select c.id, ${CAMPAIGN_STOP} as stop from campaigns c join projects p on p.id = c.project_id where c.id = $2::uuid for share of c
  ), asked as materialized (
    select r.*, case when c.stop is null then ${CAMPAIGN_GATE.verdict} end as refusal from batch r cross join campaign c
  ), judged as materialized (
    select a.*, case when a.doubted_at is not null and (a.refusal is not null or a.error is not null or not $5::boolean
                            or a.doubted_at < now() - make_interval(secs => ${sql.lit(KEY_VALID_MS / 1000)})) then ${UNKNOWN}
                     else a.refusal end as verdict
    from asked a
  ), opened as (
    update campaign_pages g set state = 'open', opened_at = now(), available_at = 'infinity', journal = $6::uuid,
           contact_ids = coalesce(j.contact_ids, '{}'), send_ids = coalesce(j.send_ids, '{}'), subjects = j.subjects, variants = j.variants,
           doubted_at = j.doubted_at
    from campaign c, (
      select array_agg(contact_id order by place) as contact_ids, array_agg(id order by place) as send_ids,
             array_agg(subject order by place) as subjects, array_agg(variant order by place) as variants,
             array_agg(doubted_at order by place) as doubted_at
      from judged where verdict is null and error is null) j
    where c.stop is null and g.campaign_id = c.id and g.no = $3::integer and g.token = $4::uuid and g.state = 'leased' returning g.no, g.opened_at
  ), failed as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, error, closed_at)
    select ${INTENT_COLUMNS}, now(), now(), 'failed', case verdict when ${UNKNOWN} then ${sql.lit(OUTCOME_UNKNOWN_ERROR)} else error end, now()
    from judged where (verdict is null and error is not null or verdict = ${UNKNOWN}) and exists (select 1 from opened)
    on conflict do nothing returning variant
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select $2::uuid, coalesce(variant, ''), 'failed', count(*) from failed group by variant
    union all
    select $2::uuid, coalesce(variant, ''), 'skipped', count(*) from judged
    where verdict <> ${UNKNOWN} and exists (select 1 from opened) group by variant
  )
  select j.place, j.verdict, c.stop, (select o.opened_at from opened o) as opened_at from campaign c left join judged j on true`);

/**
 * Writes the intents of a batch in one statement, where campaign and recipients let it be: those that may go stand in its row from then on,
 * the others are settled. The campaign's row is shared until the statement is done, so that of a cancellation and a batch one is first.
 */
export async function openBatch(
  em: EntityManager,
  batch: BatchKey,
  intents: readonly SendIntent[],
  { deduplicates, journal }: BatchOpening,
): Promise<OpenedBatch> {
  const asked = JSON.stringify(intents.map((intent, place) => ({ place, ...intentRow(intent) })));
  const found = await OPEN(em, [asked, batch.campaign_id, batch.no, batch.token, deduplicates, journal]);
  const [first] = found;
  if (!first) return { state: 'lost' };
  if (first.stop !== null) return { state: 'stopped', reason: first.stop };
  if (!first.opened_at) return { state: 'lost' };
  const verdicts = new Array<GateVerdict | null>(intents.length).fill(null);
  for (const { place, verdict } of found) if (place !== null) verdicts[place] = verdict;
  return { state: 'opened', openedAt: first.opened_at, verdicts };
}

/** What an open batch comes to when all of its mails have ended. */
export interface BatchEnd {
  /** Mails that the provider may take later; under their ids, since one of unknown outcome may be known to it. */
  readonly later: readonly LeftMail[];
  /** How long until they may be tried again. */
  readonly pauseMs: number;
  /** Whether it was the provider that wanted them later, and not the campaign that was stopped. */
  readonly wasAway: boolean;
}

/** A mail of a batch that has no outcome. */
export interface LeftMail extends Pick<SendIntent, 'id' | 'contactId' | 'subject' | 'variant' | 'maybeSubmittedAt'> {}

/** How the mail of a recipient ended. */
export interface RecipientClosing extends Ended {
  readonly intent: SendIntent;
  readonly openedAt: Date;
}

/**
 * An erasure waits for a mail in flight. Of one that comes later, from a process that was frozen, the contact may be gone: its row tells nothing of
 * the person then. The contact is kept until the row is written where an erasure may not wait for it any more.
 */
const CLOSING = outcomeStatements(sql`
  batch as materialized (
    select r.*, r.opened <= now() - make_interval(secs => ${sql.lit(IN_FLIGHT_MS / 2_000)}) as is_late
    from json_to_recordset($1::json) as r(${INTENT}, opened timestamptz, status text, provider_id text, error text)
  ), held as materialized (
    select k.project_id, k.id from contacts k
    where (k.project_id, k.id) in (select project_id, contact_id from batch where is_late) order by k.email for key share
  ), known as materialized (
    select p.*, case when p.is_late then h.id is null else k.id is null end as is_erased
    from batch p left join held h on h.project_id = p.project_id and h.id = p.contact_id
    left join contacts k on k.project_id = p.project_id and k.id = p.contact_id
  ), told as (
    select id, project_id, case when not is_erased then contact_id end as contact_id, brand_id, case when is_erased then '' else to_email end as to_email,
           template, type, case when is_erased then '' else subject end as subject, source_type, source_id, variant, opened, status, provider_id,
           case when is_erased then split_part(error, ': ', 1) else error end as error
    from known
  ), corrected as (
    update sends s set status = r.status, provider_id = r.provider_id, error = ${OUTCOME_ERROR}, closed_at = now()
    from told r where s.id = r.id and ${TAKES_LATE_OUTCOME} returning s.*
  ), written as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, provider_id, error, closed_at)
    select ${INTENT_COLUMNS}, opened, opened, status, provider_id, error, now() from told
    on conflict do nothing returning *
  ), closed as (
    select * from corrected union all select * from written
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select source_id::uuid, coalesce(variant, ''), status, count(*) from closed where retried_as is null group by source_id, variant, status
    union all
    select source_id::uuid, coalesce(variant, ''), 'failed', -count(*) from corrected where retried_as is null group by source_id, variant
  )`);

/**
 * Writes the rows of mails that have their outcome, each once for its contact: of one whose outcome was unknown the truth has the word. One that was
 * sent again meanwhile counts no more: its contact counts by the mail that followed it. Answers with the rows that got their outcome by it.
 */
export async function closeRecipients(em: EntityManager, batch: readonly RecipientClosing[]): Promise<ClosedSend[]> {
  return writeOutcomes(em, CLOSING, batch, ({ intent, openedAt, outcome }) => ({
    ...intentRow(intent),
    opened: openedAt,
    ...outcomeColumns(outcome),
  }));
}

/**
 * The CTE `maybe_submitted`: rows, and the count, of mails of the batches in `gone` that are not submitted again: they may have arrived.
 */
const CLOSE_MAYBE_SUBMITTED = sql`
  maybe_submitted as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, error, closed_at)
    select m.id, c.project_id, k.id, c.brand_id, coalesce(k.email, ''), c.template, c.type, coalesce(m.subject, ''), 'campaign', c.id::text, m.variant,
           m.doubted_at, m.doubted_at, 'failed', ${sql.lit(OUTCOME_UNKNOWN_ERROR)}, now()
    from gone g join campaigns c on c.id = g.campaign_id
    cross join lateral unnest(g.send_ids, g.contact_ids, g.subjects, g.variants, g.doubted_at) as m(id, contact_id, subject, variant, doubted_at)
    left join contacts k on k.project_id = c.project_id and k.id = m.contact_id
    where m.doubted_at is not null
    on conflict do nothing returning source_id, variant
  ), maybe_submitted_counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select source_id::uuid, coalesce(variant, ''), 'failed', count(*) from maybe_submitted group by source_id, variant
  )`;

/** How many mails of the batch `g` were surely not submitted. */
const SURELY_NOT_SUBMITTED = sql.raw(`(cardinality(g.contact_ids) - (select count(d.at) from unnest(g.doubted_at) as d(at)))`);

/**
 * Ends an open batch, all of whose outcomes are written. What is left for later becomes a pending batch, unless the campaign was cancelled
 * meanwhile: its row is shared, so that a cancellation finds it there or here. What the provider has wanted later for too long is skipped.
 */
export async function endBatch(em: EntityManager, { campaign_id, no, token }: BatchKey, end: BatchEnd): Promise<void> {
  const mine = sql`campaign_id = ${campaign_id} and no = ${no} and token = ${token} and state = 'open'`;
  if (end.later.length === 0) {
    await row(em, sql`delete from campaign_pages where ${mine}`);
    return;
  }
  const { later, pauseMs, wasAway } = end;
  const mails = JSON.stringify(
    later.map(({ id, contactId, subject, variant, maybeSubmittedAt }) => ({ id, contactId, subject, variant, maybeSubmittedAt })),
  );
  await row(
    em,
    sql`
      with campaign as materialized (
        select case when c.status = 'cancelled' then 'cancelled'
                    when ${wasAway} and g.first_later_at <= now() - ${interval(OUTAGE_PATIENCE_MS)} then 'skipped' end as settled
        from campaigns c join campaign_pages g on g.campaign_id = c.id and g.no = ${no} where c.id = ${campaign_id} for share of c
      ), later as (
        select array_agg("contactId") as contact_ids, array_agg(id) as send_ids, array_agg(subject) as subjects, array_agg(variant) as variants,
               array_agg("maybeSubmittedAt") as doubted_at
        from json_to_recordset(${mails}::json) as m(id uuid, "contactId" uuid, subject text, variant text, "maybeSubmittedAt" timestamptz)
      ), kept as (
        update campaign_pages g set state = 'pending', token = null, opened_at = null, journal = null, send_ids = l.send_ids, subjects = l.subjects,
               variants = l.variants, contact_ids = l.contact_ids, doubted_at = l.doubted_at, 
               available_at = case when ${pauseMs}::double precision > 0 then now() + ${interval(pauseMs)} else '-infinity' end,
               attempts = attempts + ${wasAway ? 1 : 0},
               first_later_at = case when ${wasAway} then coalesce(first_later_at, now()) else first_later_at end
        from later l where ${mine} and (select settled from campaign) is null
      ), ended as (
        delete from campaign_pages where ${mine} and (select settled from campaign) is not null returning campaign_id
      ), gone as (
        select e.campaign_id, l.* from ended e cross join later l
      ), ${CLOSE_MAYBE_SUBMITTED}
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select ${campaign_id}::uuid, '', c.settled, ${SURELY_NOT_SUBMITTED} from gone g, campaign c`,
  );
}

/**
 * Takes away every batch that is not open, when none of it may go any more; those of its mails that may have been submitted have their outcome then. Returns how many
 * recipients there are to whom nothing was ever submitted.
 */
export async function dropBatches(tx: EntityManager, campaignId: string): Promise<number> {
  const dropped = await row(
    tx,
    sql<{ recipients: number }>`
      with gone as (delete from campaign_pages where campaign_id = ${campaignId} and state <> 'open' returning *), ${CLOSE_MAYBE_SUBMITTED}
      select coalesce(sum(${SURELY_NOT_SUBMITTED}), 0)::bigint as recipients from gone g`,
  );
  return dropped?.recipients ?? 0;
}

/** An open batch whose process should have ended it long ago; the transaction has it locked. */
export interface LeftBatch extends BatchKey {
  readonly journal: string | null;
  readonly openedAt: Date;
  readonly ageMs: number;
  /** Those that have no row. */
  readonly mails: readonly SendIntent[];
}

type LeftBatchRow = Omit<LeftBatch, 'openedAt' | 'mails'> & {
  readonly openedAt: string;
  readonly mails: readonly (Omit<SendIntent, 'maybeSubmittedAt'> & {
    readonly maybeSubmittedAt: string | null;
    readonly variant: string | null;
  })[];
};

/** Locks the open batches of a campaign that were opened so long ago, those aside that somebody else settles at this moment. */
export async function lockLeftBatches(tx: EntityManager, campaignId: string, ageMs: number): Promise<LeftBatch[]> {
  const found = await rows(
    tx,
    sql<{ batch: LeftBatchRow }>`
      with batch as materialized (
        select * from campaign_pages where campaign_id = ${campaignId} and state = 'open' and opened_at <= now() - ${interval(ageMs)}
        order by no for update skip locked
      )
      select json_build_object('campaign_id', g.campaign_id, 'no', g.no, 'token', g.token, 'journal', g.journal, 'openedAt', g.opened_at,
        'ageMs', extract(epoch from now() - g.opened_at) * 1000,
        'mails', coalesce((
          select json_agg(json_build_object('id', m.id, 'projectId', c.project_id, 'contactId', m.contact_id, 'brandId', c.brand_id,
            'toEmail', coalesce(k.email, ''), 'template', c.template, 'type', c.type, 'subject', m.subject, 'sourceType', 'campaign',
            'sourceId', c.id, 'variant', m.variant, 'maybeSubmittedAt', d.at) order by m.place)
          from unnest(g.send_ids, g.contact_ids, g.subjects, g.variants) with ordinality as m(id, contact_id, subject, variant, place)
          left join contacts k on k.project_id = c.project_id and k.id = m.contact_id
          left join lateral (select g.doubted_at[m.place::integer] as at) d on true
          where not exists (select 1 from sends s where s.id = m.id)
            and not exists (select 1 from sends s where s.source_type = 'campaign' and s.source_id = c.id::text and s.contact_id = m.contact_id
                            and s.retried_as is null)), '[]')) as batch
      from batch g join campaigns c on c.id = g.campaign_id`,
  );
  return found.map(({ batch }) => ({
    ...batch,
    openedAt: new Date(batch.openedAt),
    mails: batch.mails.map(({ maybeSubmittedAt, variant, ...mail }) => ({
      ...mail,
      variant: variant ?? undefined,
      maybeSubmittedAt: maybeSubmittedAt === null ? undefined : new Date(maybeSubmittedAt),
      identity: { by: 'nothing' },
      journal: null,
    })),
  }));
}

/** Campaigns that have batches that were opened so long ago, and may be settled. */
export async function campaignsWithLeftBatches(em: EntityManager, ageMs: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<{
      id: string;
    }>`select distinct campaign_id as id from campaign_pages where state = 'open' and opened_at <= now() - ${interval(ageMs)}`,
  );
  return found.map(({ id }) => id);
}

/** What stands of a campaign's batches. */
export interface BatchesLeft {
  /** Batches that can be taken now, as far as they were counted. */
  readonly available: number;
  readonly open: number;
  /** When the next one can be taken, or an open one be looked at; null when there is none. */
  readonly nextAt: Date | null;
  /** Whether a process has that one in flight, or any open one: it may be done with it at any moment. */
  readonly isInFlight: boolean;
}

/**
 * `most`: available batches that are counted. Of a million recipients' batches only those are read, and the open ones. `outcomeUnknownAfterMs`: how long
 * after its opening an open one is looked at.
 */
export async function batchesLeft(
  em: EntityManager,
  campaignId: string,
  { most, outcomeUnknownAfterMs }: { readonly most: number; readonly outcomeUnknownAfterMs: number },
): Promise<BatchesLeft> {
  const found = await row(
    em,
    sql<BatchesLeft>`
      select open.open, least(open.next_at, pending.next_at) as "nextAt", open.open > 0 or coalesce(pending.is_leased, false) as "isInFlight",
             (select count(*) from (
                select 1 from campaign_pages where campaign_id = ${campaignId} and available_at <= now() limit ${most}) due) as available
      from (select count(*) as open, min(opened_at) + ${interval(outcomeUnknownAfterMs)} as next_at
            from campaign_pages where campaign_id = ${campaignId} and state = 'open') open
      left join (select greatest(available_at, '2000-01-01') as next_at, state = 'leased' as is_leased
                 from campaign_pages where campaign_id = ${campaignId} and available_at < 'infinity' order by available_at limit 1) pending on true`,
  );
  return found as BatchesLeft;
}

/** Whether a living process may still submit mails of a campaign. Those of a process that has died are in flight no more after a while. */
export async function isInFlight(em: EntityManager, campaignId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ inFlight: boolean }>`
      select exists (select 1 from campaign_pages where campaign_id = ${campaignId} and state = 'open' and opened_at > now() - ${interval(IN_FLIGHT_MS)})
        as "inFlight"`,
  );
  return found?.inFlight ?? false;
}

/** Ends the pauses of batches that wait for the provider. */
export async function retryBatchesNow(em: EntityManager, campaignId: string): Promise<void> {
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
