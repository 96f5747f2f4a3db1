import { sql } from 'kysely';
import type { Opening } from '../../../domain/send-window.ts';
import { isOutcomeUnknown, OUTCOME_UNKNOWN_ERROR } from '../../../domain/sends/outcome-unknown.ts';
import { IN_FLIGHT_MS, KEY_VALID_MS } from '../../../domain/sends/submission-times.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement } from '../../rows.ts';
import { packRows, unpackedRows } from '../../shared-rows.ts';
import { type BatchStop, type GateVerdict, plainVerdict, wordOf } from '../sends/gate-verdict.ts';
import { CAMPAIGN_GATE, CAMPAIGN_STOP } from '../sends/send-gates.ts';
import { intentRow, type SendIntent } from '../sends/send-intents.ts';
import { type Ended, OUTCOME_ERROR, outcomeColumns, outcomeStatements, TAKES_LATE_OUTCOME, writeOutcomes } from '../sends/send-outcomes.ts';
import type { BatchKey, HeldBatch } from './campaign-batches.ts';
import { leaveOutSingly } from './left-out.ts';

/** What the row of a mail takes from its intent: the columns, and the same with their types in JSON beside the instant. */
export const INTENT_COLUMNS = sql.raw(
  'id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, variant, from_domain, receiver, locale',
);
const INTENT = `id uuid, project_id uuid, contact_id uuid, brand_id text, to_email text, template text, type text, subject text,
  source_type text, source_id text, variant text, from_domain text, receiver text, locale text, sandboxed boolean`;

/**
 * `stopped`: nothing of the batch may go now. `lost`: another process has it. `opened`: the verdict of the gate for each intent, null for those
 * that may go; those that may have been submitted and may not go again are `outcome_unknown`, and have their outcome. Who got an earlier mail counts as sent.
 */
export type OpenedBatch =
  | { readonly state: 'stopped'; readonly reason: BatchStop }
  | { readonly state: 'lost' }
  | { readonly state: 'opened'; readonly openedAt: Date; readonly verdicts: readonly (GateVerdict | null)[] };

/** Of a mail of unknown outcome that is not submitted again. */
const UNKNOWN = plainVerdict('outcome_unknown');

/** Of a retry: the truth about an earlier mail has arrived since. */
const SENT_BEFORE = plainVerdict('sent_before');

/** Whether one of the mails that `r` follows was sent. */
const FOLLOWS_SENT = sql.raw(`exists (
  with recursive earlier as (
    select s.id, s.status from sends s where s.retried_as = r.id
    union all
    select s.id, s.status from sends s join earlier e on s.retried_as = e.id
  )
  select 1 from earlier where status = 'sent')`);

/** What an opening needs to know beside the intents. */
export interface BatchOpening {
  /** Whether the provider deduplicates by the id of a send: only then a mail of unknown outcome may be submitted again, for as long as it keeps the id. */
  readonly deduplicates: boolean;
  readonly journal: string | null;
  /** Of the send window of its people, if it waits for one: only within this opening it goes. */
  readonly opening?: Opening | undefined;
}

const OPEN = preparedStatement(sql<{
  place: number | null;
  verdict: GateVerdict | null;
  stop: BatchStop | null;
  opened_at: Date | null;
}>`
  with batch as materialized (
    ${unpackedRows(`place integer, ${INTENT}, details jsonb, error text, doubted_at timestamptz`, { each: '$1', shared: '$10' })}
  ), campaign as materialized (
    select c.id, coalesce(${CAMPAIGN_STOP}, case when $8::timestamptz > now() or $9::timestamptz <= now() then 'send_window' end) as stop from campaigns c join projects p on p.id = c.project_id where c.id = $2::uuid for share of c
  ), asked as materialized (
    select r.*, case when c.stop is null then ${CAMPAIGN_GATE.verdict} end as refusal,
           case when $7::boolean and r.doubted_at is null then ${FOLLOWS_SENT} else false end as follows_sent
    from batch r cross join campaign c
  ), judged as materialized (
    select a.*, case when a.follows_sent then ${SENT_BEFORE}
                     when a.doubted_at is not null and (a.refusal is not null or a.error is not null or not $5::boolean
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
    insert into sends (${INTENT_COLUMNS}, sandboxed, opened_at, created_at, status, error, closed_at)
    select ${INTENT_COLUMNS}, coalesce(sandboxed, false), now(), now(), 'failed',
           case verdict when ${UNKNOWN} then ${sql.lit(OUTCOME_UNKNOWN_ERROR)} else error end, now()
    from judged where (verdict is null and error is not null or verdict = ${UNKNOWN}) and exists (select 1 from opened)
    on conflict do nothing returning variant
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select $2::uuid, coalesce(variant, ''), 'failed', count(*) from failed group by variant
    union all
    select $2::uuid, coalesce(variant, ''), case verdict when ${SENT_BEFORE} then 'sent' else 'skipped' end, count(*) from judged
    where verdict <> ${UNKNOWN} and exists (select 1 from opened) group by 2, 3
  ), left_out as (
    ${leaveOutSingly(sql`select $2::uuid as campaign_id, contact_id as id, ${wordOf(sql.ref('verdict'))} as reason from judged
    where verdict not in (${UNKNOWN}, ${SENT_BEFORE}) and exists (select 1 from opened)`)}
  )
  select j.place, j.verdict, c.stop, (select o.opened_at from opened o) as opened_at from campaign c left join judged j on true`);

/**
 * Writes the intents of a batch in one statement, where campaign and recipients let it be: those that may go stand in its row from then on,
 * the others are settled. The campaign's row is shared until the statement is done, so that of a cancellation and a batch one is first.
 */
export async function openBatch(
  em: EntityManager,
  batch: BatchKey & Pick<HeldBatch, 'send_ids'>,
  intents: readonly SendIntent[],
  { deduplicates, journal, opening }: BatchOpening,
): Promise<OpenedBatch> {
  const { each, shared } = packRows(intents.map((intent, place) => ({ ...intentRow(intent), place })));
  const window = [opening?.opensAt ?? null, opening?.closesAt ?? null];
  const found = await OPEN(em, [
    each,
    batch.campaign_id,
    batch.no,
    batch.token,
    deduplicates,
    journal,
    batch.send_ids !== null,
    ...window,
    shared,
  ]);
  const [first] = found;
  if (!first) return { state: 'lost' };
  if (first.stop !== null) return { state: 'stopped', reason: first.stop };
  if (!first.opened_at) return { state: 'lost' };
  const verdicts = new Array<GateVerdict | null>(intents.length).fill(null);
  for (const { place, verdict } of found) if (place !== null) verdicts[place] = verdict;
  return { state: 'opened', openedAt: first.opened_at, verdicts };
}

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
    from (${unpackedRows(`${INTENT}, opened timestamptz, status text, provider_id text, provider text, error text`, { each: '$1', shared: '$2' })}) r
  ), held as materialized (
    select k.project_id, k.id from contacts k
    where (k.project_id, k.id) in (select project_id, contact_id from batch where is_late) order by k.email for key share
  ), known as materialized (
    select p.*, case when p.is_late then h.id is null else k.id is null end as is_erased
    from batch p left join held h on h.project_id = p.project_id and h.id = p.contact_id
    left join contacts k on k.project_id = p.project_id and k.id = p.contact_id
  ), told as (
    select id, project_id, case when not is_erased then contact_id end as contact_id, brand_id, case when is_erased then '' else to_email end as to_email,
           template, type, case when is_erased then '' else subject end as subject, source_type, source_id, variant, from_domain, locale,
           case when not is_erased then receiver end as receiver, sandboxed, opened, status, provider_id, provider,
           case when is_erased then split_part(error, ': ', 1) else error end as error
    from known
  ), corrected as (
    update sends s set status = r.status, provider_id = r.provider_id, provider = r.provider, error = ${OUTCOME_ERROR}, closed_at = now(),
           from_domain = coalesce(s.from_domain, r.from_domain), receiver = coalesce(s.receiver, r.receiver)
    from told r where s.id = r.id and ${TAKES_LATE_OUTCOME} returning s.*
  ), written as (
    insert into sends (${INTENT_COLUMNS}, sandboxed, opened_at, created_at, status, provider_id, provider, error, closed_at)
    select ${INTENT_COLUMNS}, coalesce(sandboxed, false), opened, opened, status, provider_id, provider, error, now() from told
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
 * sent again meanwhile counts no more: its contact counts by the mail that followed it. Answers with the ids of those that got their outcome by it.
 */
export async function closeRecipients(em: EntityManager, batch: readonly RecipientClosing[]): Promise<string[]> {
  const closed = await writeClosings(em, batch);
  const ids = new Set(closed);
  const others = batch.filter(({ intent, outcome }) => !ids.has(intent.id) && !isOutcomeUnknown(outcome));
  // A row that was written as unknown at this moment is seen only by the next statement; of any other nothing is changed.
  return others.length === 0 ? closed : [...closed, ...(await writeClosings(em, others))];
}

function writeClosings(em: EntityManager, batch: readonly RecipientClosing[]): Promise<string[]> {
  const { each, shared } = packRows(
    batch.map(({ intent, openedAt, outcome }) => ({ ...intentRow(intent), opened: openedAt.toISOString(), ...outcomeColumns(outcome) })),
  );
  return writeOutcomes(em, CLOSING, batch, [each, shared]);
}
