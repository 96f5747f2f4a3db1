import { type RawBuilder, sql } from 'kysely';
import { IN_FLIGHT_MS } from '../../../domain/sends/submission-times.ts';
import type { CampaignBatchRow, CampaignRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row, rows } from '../../rows.ts';
import { CAMPAIGN_STOP } from '../sends/send-gates.ts';

/** A batch that this process holds: the token fences it off from whoever takes it after the lease. */
export interface HeldBatch
  extends Pick<CampaignBatchRow, 'campaign_id' | 'no' | 'contact_ids' | 'send_ids' | 'doubted_at' | 'attempts' | 'zone'> {
  readonly token: NonNullable<CampaignBatchRow['token']>;
}

/** Unopened batches go back to the others after this long. */
const LEASE_SECONDS = 30;

/**
 * All that decides about batches in flight is written and compared by PostgreSQL's clock, never by that of a process: the one that opens a batch,
 * the one that cancels and the one that settles what a dead process has left may be on machines whose clocks differ.
 */
export function interval(milliseconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${milliseconds / 1000}::double precision)`;
}

const CLAIM = preparedStatement(sql<Omit<HeldBatch, 'token'>>`
  update campaign_pages g set state = 'leased', token = $3::uuid, available_at = now() + make_interval(secs => $4::double precision)
  from (select campaign_id, no from campaign_pages where campaign_id = $1::uuid and available_at <= now()
        order by available_at, no limit $2::integer for update skip locked) due
  where g.campaign_id = due.campaign_id and g.no = due.no
  returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.doubted_at, g.attempts, g.zone`);

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
    returning g.campaign_id, g.no, g.contact_ids, g.send_ids, g.doubted_at, g.attempts, g.zone
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

/** A batch, as long as its token is this one. */
export type BatchKey = Pick<HeldBatch, 'campaign_id' | 'no' | 'token'>;

/** Gives a batch back as it is, of which surely nothing was submitted. One that was taken away meanwhile is not ours to give. */
export async function giveBack(em: EntityManager, { campaign_id, no, token }: BatchKey): Promise<void> {
  await row(
    em,
    sql`update campaign_pages set state = 'pending', token = null, opened_at = null, available_at = now()
        where campaign_id = ${campaign_id} and no = ${no} and token = ${token}`,
  );
}

/**
 * Gives a batch back whose people's window is closed, of which surely nothing was submitted: it waits for the opening, and so do the others of its
 * zone that nobody has.
 */
export async function waitForOpening(
  em: EntityManager,
  { campaign_id, no, token, zone }: BatchKey & Pick<HeldBatch, 'zone'>,
  opensAt: Date,
): Promise<void> {
  await row(
    em,
    sql`
      with others as (
        select g.no from campaign_pages g
        where g.campaign_id = ${campaign_id} and g.state = 'pending' and g.zone = ${zone} and g.available_at < ${opensAt}
        order by g.no for update skip locked
      )
      update campaign_pages set state = 'pending', token = null, opened_at = null, available_at = ${opensAt}, not_before = ${opensAt}
      where campaign_id = ${campaign_id} and (no in (select o.no from others o) or no = ${no} and token = ${token} and state = 'leased')`,
  );
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
  /** Whether the provider has wanted that one later. */
  readonly wasAway: boolean;
  /** By whose clocks that one waits, '' of who has no zone; null: it waits for something else. */
  readonly zone: string | null;
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
      select open.open, least(open.next_at, pending.next_at) as "nextAt", open.open > 0 or coalesce(pending.is_leased, false) as "isInFlight", coalesce(pending.was_away, false) as "wasAway", pending.zone,
             (select count(*) from (
                select 1 from campaign_pages where campaign_id = ${campaignId} and available_at <= now() limit ${most}) due) as available
      from (select count(*) as open, min(opened_at) + ${interval(outcomeUnknownAfterMs)} as next_at
            from campaign_pages where campaign_id = ${campaignId} and state = 'open') open
      left join (select greatest(available_at, '2000-01-01') as next_at, state = 'leased' as is_leased, attempts > 0 as was_away,
                        case when not_before > now() then zone end as zone
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

/** Whether a batch of a campaign is open, in a living process or left by one that has died. */
export async function hasOpenBatch(em: EntityManager, campaignId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ isOpen: boolean }>`select exists (select 1 from campaign_pages where campaign_id = ${campaignId} and state = 'open') as "isOpen"`,
  );
  return found?.isOpen ?? false;
}

/** Ends the pauses of batches that wait for the provider. What waits for the clocks of a zone does so still. */
export async function retryBatchesNow(em: EntityManager, campaignId: string): Promise<void> {
  await row(
    em,
    sql`update campaign_pages set available_at = '-infinity'
        where campaign_id = ${campaignId} and state = 'pending' and available_at > now() and coalesce(not_before, '-infinity') <= now()`,
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
