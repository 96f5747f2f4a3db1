import { type RawBuilder, sql } from 'kysely';
import type { LeftOutReason } from '../../../domain/campaigns/left-out.ts';
import { OUTCOME_UNKNOWN_ERROR } from '../../../domain/sends/outcome-unknown.ts';
import { OUTAGE_PATIENCE_MS } from '../../../domain/sends/submission-times.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { allowLongStatements } from '../operations/statement-limits.ts';
import type { SendIntent } from '../sends/send-intents.ts';
import { type BatchKey, interval } from './campaign-batches.ts';
import { INTENT_COLUMNS } from './campaign-mails.ts';
import { leaveOut, leaveOutSingly } from './left-out.ts';

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

/**
 * The CTE `maybe_submitted`: rows, and the count, of mails of the batches in `gone` that are not submitted again: they may have arrived.
 */
const CLOSE_MAYBE_SUBMITTED = sql`
  maybe_submitted as (
    insert into sends (${INTENT_COLUMNS}, opened_at, created_at, status, error, closed_at)
    select m.id, c.project_id, k.id, c.brand_id, coalesce(k.email, ''), c.template, c.type, coalesce(m.subject, ''), 'campaign', c.id::text, m.variant,
           null, null, null, m.doubted_at, m.doubted_at, 'failed', ${sql.lit(OUTCOME_UNKNOWN_ERROR)}, now()
    from gone g join campaigns c on c.id = g.campaign_id
    cross join lateral unnest(g.send_ids, g.contact_ids, g.subjects, g.variants, g.doubted_at) as m(id, contact_id, subject, variant, doubted_at)
    left join contacts k on k.project_id = c.project_id and k.id = m.contact_id
    where m.doubted_at is not null
    on conflict do nothing returning source_id, variant
  ), maybe_submitted_counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select source_id::uuid, coalesce(variant, ''), 'failed', count(*) from maybe_submitted group by source_id, variant
  )`;

/** The recipients of the batches in `gone` to whom nothing was submitted, and why they were left out, where it is not that they were erased. */
function notSubmitted(reason: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select g.campaign_id, m.id, case when k.id is null then 'erased' else ${reason} end as reason
    from gone g cross join lateral unnest(g.contact_ids, g.doubted_at) as m(id, doubted_at) left join contacts k on k.id = m.id
    where m.doubted_at is null`;
}

/** The domain that the mails of campaign `c` are from, as sending/plan.ts has it; null: it has no sender now, or they never leave. */
const SENDER_DOMAIN = sql.raw(`(
  select lower(split_part(coalesce(t.from_email, b.from_email), '@', 2)) from brands b join projects p on p.id = b.project_id
  left join template_settings t on t.project_id = b.project_id and t.brand_id = b.slug and t.template = c.template
  where b.project_id = c.project_id and b.slug = c.brand_id and not c.sandboxed and not p.sandbox)`);

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
      ), ${CLOSE_MAYBE_SUBMITTED}, left_out as (
        ${leaveOutSingly(notSubmitted(sql`(select case settled when 'skipped' then 'ended' else settled end from campaign)`))}
      )
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select ${campaign_id}::uuid, '', c.settled, ${SURELY_NOT_SUBMITTED} from gone g, campaign c`,
  );
}

/**
 * Takes away every batch that is not open, when none of it may go any more; those of its mails that may have been submitted have their outcome then. Returns how many
 * recipients there are to whom nothing was ever submitted, and keeps that they were left out; `settled`: they are not counted, since all are settled.
 */
export async function dropBatches(
  tx: EntityManager,
  campaignId: string,
  why: Extract<LeftOutReason, 'ended' | 'cancelled'> | 'settled',
): Promise<number> {
  // Of many millions it takes longer than a statement usually may.
  await allowLongStatements(tx);
  const leftOut = why === 'settled' ? sql`` : sql`, left_out as (${leaveOut(notSubmitted(sql.lit(why)), { campaignId, isFirst: false })})`;
  const dropped = await row(
    tx,
    sql<{ recipients: number }>`
      with gone as (delete from campaign_pages where campaign_id = ${campaignId} and state <> 'open' returning *), ${CLOSE_MAYBE_SUBMITTED}
           ${leftOut}
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
  readonly mails: readonly (Omit<SendIntent, 'maybeSubmittedAt' | 'fromDomain'> & {
    readonly fromDomain: string | null;
    readonly maybeSubmittedAt: string | null;
    readonly variant: string | null;
  })[];
};

/** Locks the open batches of a campaign that were opened so long ago, those aside that somebody else settles at this moment. */
export async function lockLeftBatches(tx: EntityManager, campaignId: string, ageMs: number): Promise<LeftBatch[]> {
  // Looked for mail by mail: without statistics the planner would read all that the campaign has sent, for each batch.
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
            'toEmail', coalesce(k.email, ''), 'fromDomain', f.domain, 'template', c.template, 'type', c.type, 'subject', m.subject, 'sourceType', 'campaign',
            'sourceId', c.id, 'variant', m.variant, 'maybeSubmittedAt', d.at) order by m.place)
          from unnest(g.send_ids, g.contact_ids, g.subjects, g.variants) with ordinality as m(id, contact_id, subject, variant, place)
          left join lateral (select email from contacts where project_id = c.project_id and id = m.contact_id offset 0) k on true
          left join lateral (select g.doubted_at[m.place::integer] as at) d on true
          where not exists (select 1 from sends s where s.id = m.id offset 0)
            and not exists (select 1 from sends s where s.source_type = 'campaign' and s.source_id = c.id::text and s.contact_id = m.contact_id
                            and s.retried_as is null offset 0)), '[]')) as batch
      from batch g join campaigns c on c.id = g.campaign_id cross join lateral (select ${SENDER_DOMAIN} as domain offset 0) f`,
  );
  return found.map(({ batch }) => ({
    ...batch,
    openedAt: new Date(batch.openedAt),
    mails: batch.mails.map(({ maybeSubmittedAt, variant, fromDomain, ...mail }) => ({
      ...mail,
      fromDomain: fromDomain ?? undefined,
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
