import { sql } from 'kysely';
import { emailDomain } from '../../../domain/contacts/email-address.ts';
import type { Opening } from '../../../domain/send-window.ts';
import { receiverGroup } from '../../../domain/sends/receiver-group.ts';
import { errorText, type SendFailure, type SendType, type SourceType } from '../../../domain/sends/send.ts';
import { copiesGoing, type SendDetails } from '../../../domain/sends/send-details.ts';
import { capWindowMs, type FrequencyCap } from '../../../domain/sequences/frequency-cap.ts';
import { storable } from '../../../domain/storable-text.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { preparedStatement, row, rows } from '../../rows.ts';
import { COPIES_MAY_GO } from './copies.ts';
import { type GateVerdict, wordOf } from './gate-verdict.ts';
import type { SendGate } from './send-gates.ts';
import { IS_UNKNOWN } from './send-outcomes.ts';

/** What makes a send the same send again: a caller's key, or one visit of one enrollment to one node. */
export type SendIdentity =
  | { readonly by: 'nothing' }
  | { readonly by: 'key'; readonly key: string; readonly requestHash: Buffer }
  /** `step`: the place of the visit in the run, by which its gate knows whether it was left. */
  | { readonly by: 'visit'; readonly enrollmentId: string; readonly nodeId: string; readonly visit: number; readonly step: number };

/** What is written before the provider is called. */
export interface SendIntent {
  readonly id: string;
  readonly projectId: string;
  readonly contactId: string | null;
  readonly brandId: string;
  readonly toEmail: string;
  /** The domain of the address that it is from; undefined: no sender was found. */
  readonly fromDomain?: string | undefined;
  readonly template: string;
  readonly type: SendType;
  /** "" when it could not be rendered. */
  readonly subject: string;
  readonly sourceType: SourceType;
  readonly sourceId: string | null;
  readonly identity: SendIdentity;
  /** Of the process that opens it: what it submitted is written down there. */
  readonly journal: string | null;
  /** Why there is nothing to submit: the row is then written as failed at once, if the gate lets it be. */
  readonly failure?: { readonly reason: SendFailure; readonly message: string } | undefined;
  /** What the answer to a call with a key says beside the outcome. */
  readonly notes?: object | undefined;
  /** The arm of a campaign with variants. */
  readonly variant?: string | undefined;
  /** The language that it is in; absent: the default. */
  readonly locale?: string | undefined;
  /** Of a marketing mail of a sequence. */
  readonly cap?: FrequencyCap | undefined;
  /** Of a mail of a sequence that waits for a window: it goes within this opening, and not before or after. */
  readonly window?: Opening | undefined;
  /** Since when the provider may know it under its id: it was submitted before, and never answered for good. */
  readonly maybeSubmittedAt?: Date | undefined;
  /** No provider is asked to take it. */
  readonly isSandboxed?: boolean | undefined;
  /** What its caller said of it beside all that. */
  readonly details?: SendDetails | undefined;
}

/**
 * `opened`: written by this call, as an intent or with its failure. `known`: what this send stands on is not as it was: it was opened before,
 * its contact was erased, or one of its copies may not go any more. `refused`: whether a row was written is the gate's to say.
 */
export type OpenedSend =
  /** By PostgreSQL's clock, as all that decides about mails. */
  | { readonly state: 'opened'; readonly openedAt: Date }
  | { readonly state: 'known' }
  | { readonly state: 'refused'; readonly verdict: GateVerdict };

interface OpenedRow {
  readonly place: number;
  readonly verdict: GateVerdict | null;
  /** null: not written. */
  readonly opened_at: Date | null;
}

/** An intent in JSON. */
const INTENT = sql.raw(`place integer, id uuid, project_id uuid, contact_id uuid, brand_id text, to_email text, template text, type text,
  subject text, source_type text, source_id text, enrollment_id uuid, node_id text, visit integer, step integer, key text, hash text, notes text, journal uuid, error text,
  cap_count integer, cap_seconds double precision, opens_at timestamptz, closes_at timestamptz, sandboxed boolean, details jsonb, copies json, from_domain text, receiver text, locale text`);

function opening({ verdict, logsRefused }: SendGate) {
  const hasNoRow = sql`${wordOf(sql.ref('j.verdict'))} in ('erased', 'ended')`;
  const mayBeWritten = logsRefused ? sql`${hasNoRow} is not true` : sql`j.verdict is null`;
  return preparedStatement(sql<OpenedRow>`
    with batch as materialized (
      select * from json_to_recordset($1::json) as r(${INTENT})
    ), judged as materialized (
      select r.*, ${verdict} as verdict from batch r
    ), written as (
      insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, enrollment_id, node_id,
                         visit, idempotency_key, request_hash, answer_notes, details, opened_at, created_at, status, error, closed_at, journal, sandboxed, from_domain, receiver, locale)
      select j.id, j.project_id, j.contact_id, j.brand_id, j.to_email, j.template, j.type,
             case when j.verdict is null then j.subject else '' end, j.source_type, j.source_id, j.enrollment_id, j.node_id, j.visit, j.key,
             decode(j.hash, 'hex'), j.notes, j.details, now(), now(), case when e.error is not null then 'failed' end,
             e.error, case when e.error is not null then now() end, case when e.error is null then j.journal end, coalesce(j.sandboxed, false),
             j.from_domain, j.receiver, j.locale
      from judged j cross join lateral (select coalesce(${wordOf(sql.ref('j.verdict'))}, j.error) as error) e
      where ${mayBeWritten} and (e.error is not null or ${COPIES_MAY_GO})
      on conflict do nothing returning id, opened_at
    )
    select j.place, j.verdict, w.opened_at from judged j left join written w on w.id = j.id`);
}

const OPENINGS = new Map<SendGate, ReturnType<typeof opening>>();

/**
 * Writes the intents of a batch in one statement, each unique by its identity, where the gate lets it. The answers are in the order of the
 * intents. Of steps under a frequency cap each contact is locked first, and comes once in a statement: of two that meet at the last place
 * the second sees the first.
 */
export async function openMany(em: EntityManager, gate: SendGate, intents: readonly SendIntent[]): Promise<OpenedSend[]> {
  if (!intents.some(({ cap }) => cap)) return openBatch(em, gate, intents);
  const opened = new Map<SendIntent, OpenedSend>();
  for (let left = intents; left.length > 0; ) {
    const capped = new Set<string>();
    const batch = left.filter(({ cap, contactId }) => !cap || !contactId || (!capped.has(contactId) && capped.add(contactId)));
    const answers = await em.transactional(async (tx) => {
      await lockContacts(
        tx,
        batch.filter(({ cap }) => cap),
      );
      return openBatch(tx, gate, batch);
    });
    for (const [index, intent] of batch.entries()) opened.set(intent, answers[index] as OpenedSend);
    left = left.filter((intent) => !opened.has(intent));
  }
  return intents.map((intent) => opened.get(intent) as OpenedSend);
}

async function openBatch(em: EntityManager, gate: SendGate, intents: readonly SendIntent[]): Promise<OpenedSend[]> {
  const open = OPENINGS.get(gate) ?? opening(gate);
  OPENINGS.set(gate, open);
  const batch = intents.map((intent, place) => ({ place, ...intentRow(intent) }));
  // One order for everybody who locks several enrollments, or takes several keys.
  batch.sort((a, b) => compareTexts(a.enrollment_id ?? a.key ?? '', b.enrollment_id ?? b.key ?? ''));
  const opened = new Array<OpenedSend>(intents.length);
  for (const { place, verdict, opened_at: openedAt } of await open(em, [JSON.stringify(batch)])) {
    if (verdict !== null && (openedAt || !gate.logsRefused || verdict.by === 'ended')) opened[place] = { state: 'refused', verdict };
    else opened[place] = openedAt ? { state: 'opened', openedAt } : { state: 'known' };
  }
  return opened;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An intent as JSON for one bulk statement, in which what is undefined is absent. */
export function intentRow(intent: SendIntent) {
  const { identity, failure, notes, cap, window, details } = intent;
  const key = identity.by === 'key' ? identity : undefined;
  const visit = identity.by === 'visit' ? identity : undefined;
  return {
    id: intent.id,
    project_id: intent.projectId,
    contact_id: intent.contactId,
    brand_id: intent.brandId,
    to_email: intent.toEmail,
    receiver: receiverGroup(emailDomain(intent.toEmail)),
    from_domain: intent.fromDomain,
    template: intent.template,
    type: intent.type,
    subject: storable(intent.subject),
    source_type: intent.sourceType,
    source_id: intent.sourceId,
    journal: intent.journal,
    doubted_at: intent.maybeSubmittedAt,
    variant: intent.variant,
    locale: intent.locale,
    error: failure && storable(errorText(failure.reason, failure.message)),
    key: key?.key,
    hash: key?.requestHash.toString('hex'),
    notes: notes && JSON.stringify(notes),
    enrollment_id: visit?.enrollmentId,
    node_id: visit?.nodeId,
    visit: visit?.visit,
    step: visit?.step,
    sandboxed: intent.isSandboxed || undefined,
    cap_count: cap?.count,
    cap_seconds: cap && capWindowMs(cap) / 1000,
    opens_at: window?.opensAt,
    closes_at: window?.closesAt,
    details,
    copies: details && copiesColumn(details),
  };
}

/** Those copies that are to go. */
function copiesColumn(details: SendDetails): ReturnType<typeof copiesGoing> | undefined {
  const going = copiesGoing(details);
  return going.length > 0 ? going : undefined;
}

/** In the one order in which several contacts are locked. */
async function lockContacts(tx: EntityManager, intents: readonly SendIntent[]): Promise<void> {
  const ids = intents.map(({ contactId }) => contactId);
  const projects = intents.map(({ projectId }) => projectId);
  await rows(
    tx,
    sql`select 1 from contacts where (id, project_id) in (select * from unnest(${ids}::uuid[], ${projects}::uuid[])) order by email for update`,
  );
}

/**
 * Takes back an intent that surely reached nobody, so that its visit can try again later without a trace in the log. Not one that another
 * attempt has taken over meanwhile: it was opened at another time; where the answer to the opening was lost, by another process: one that may
 * have been submitted keeps the instant of its first opening, and any other has the journal of its new process.
 */
export async function withdrawSend(
  em: EntityManager,
  id: string,
  opened: { readonly at: Date } | { readonly journal: string | null },
): Promise<void> {
  const isMine =
    'at' in opened ? sql`opened_at = ${opened.at}` : sql`opened_at = created_at and journal is not distinct from ${opened.journal}::uuid`;
  await row(em, sql`delete from sends where id = ${id} and status is null and ${isMine}`);
}

/** An intent that was opened before. */
export interface OpenIntent {
  readonly openedAt: Date;
  /** It may have been submitted: its key may be known to the provider. */
  readonly mayBeSubmitted: boolean;
}

/** One that is opened again; its row may say that its outcome is unknown. */
export interface IntentBefore extends OpenIntent {
  readonly isOutcomeUnknown: boolean;
}

/** `lost`: somebody else has taken it over, or settled it. */
export type ReopenedSend = Exclude<OpenedSend, { state: 'known' }> | { readonly state: 'lost' };

/** A send `s` whose outcome is unknown, and of which its provider may still tell: nobody has sent it as another, and its recipient was not erased. */
const MAY_BE_TOLD = sql`(${IS_UNKNOWN} and s.retried_as is null and s.to_email <> '')`;

/** One that may have been submitted keeps the instant of its first opening, `created_at`: by it that is known, and the age of its key. */
function reopening({ verdict }: SendGate) {
  return preparedStatement(sql<OpenedRow>`
    with batch as materialized (
      select * from json_to_recordset($1::json) as r(${INTENT})
    ), judged as materialized (
      select r.*, ${verdict} as verdict from batch r
    ), reopened as (
      update sends s set opened_at = greatest(now(), s.opened_at + interval '1 ms'), subject = j.subject, journal = j.journal, sandboxed = coalesce(j.sandboxed, false), details = j.details, from_domain = j.from_domain,
             created_at = case when $3::boolean then s.created_at else greatest(now(), s.opened_at + interval '1 ms') end
      from judged j where j.verdict is null and s.id = j.id and s.opened_at = $2::timestamptz
        and case when $4::boolean then ${MAY_BE_TOLD} else s.status is null and s.to_email <> '' end
        and ${COPIES_MAY_GO} returning s.opened_at
    )
    select 0 as place, j.verdict, r.opened_at from judged j left join reopened r on true`);
}

const REOPENINGS = new Map<SendGate, ReturnType<typeof reopening>>();

/** Takes an intent over that its process did not settle, where the gate still lets it go: one statement. Of several callers one gets it. */
export async function reopenSend(em: EntityManager, gate: SendGate, intent: SendIntent, before: IntentBefore): Promise<ReopenedSend> {
  const reopen = REOPENINGS.get(gate) ?? reopening(gate);
  REOPENINGS.set(gate, reopen);
  const asked = [JSON.stringify([intentRow(intent)]), before.openedAt, before.mayBeSubmitted, before.isOutcomeUnknown];
  const [found] = await em.transactional(async (tx) => {
    if (intent.cap) await lockContacts(tx, [intent]);
    return reopen(tx, asked);
  });
  const { verdict, opened_at: openedAt } = found as OpenedRow;
  if (verdict !== null) return { state: 'refused', verdict };
  return openedAt ? { state: 'opened', openedAt } : { state: 'lost' };
}

/** Of a send whose outcome is as unknown as before it was opened again: whoever comes next need not wait for it. */
export async function stayUnknown(em: EntityManager, id: string): Promise<void> {
  await row(em, sql`update sends s set closed_at = greatest(now(), s.opened_at) where s.id = ${id} and ${MAY_BE_TOLD}`);
}

/** An intent without an outcome whose process should have settled it long ago. */
export interface LeftIntent extends OpenIntent {
  readonly id: string;
  readonly isOfVisit: boolean;
  readonly isSandboxed: boolean;
  /** Whether its run stands at that visit: it asks for it again by itself. */
  readonly comesAgain: boolean;
  readonly journal: string | null;
  readonly ageMs: number;
  /** Since its first opening. */
  readonly keyAgeMs: number;
}

/** Whether a run stands at the visit of the send `s`. */
const IS_STOOD_AT = sql.raw(`exists (
  select 1 from enrollments e join enrollment_steps st on st.enrollment_id = e.id
  where e.id = s.enrollment_id and e.status = 'active' and st.node_id = s.node_id and st.visit = s.visit and st.outcome is null)`);

/** Intents that were opened so long ago, the oldest first, behind the one at `after`. */
export async function leftIntents(
  em: EntityManager,
  of: { ageMs: number; limit: number; after: LeftIntent | null },
): Promise<LeftIntent[]> {
  return rows(
    em,
    sql<LeftIntent>`
      select id, enrollment_id is not null as "isOfVisit", sandboxed as "isSandboxed", ${IS_STOOD_AT} as "comesAgain", journal, opened_at as "openedAt", created_at < opened_at as "mayBeSubmitted",
             (extract(epoch from now() - opened_at) * 1000)::double precision as "ageMs",
             (extract(epoch from now() - created_at) * 1000)::double precision as "keyAgeMs"
      from sends s
      where status is null and opened_at <= now() - make_interval(secs => ${of.ageMs / 1000}::double precision)
        and (opened_at, id) > (coalesce(${of.after?.openedAt ?? null}::timestamptz, '-infinity'), coalesce(${of.after?.id ?? null}::uuid, ${LOWEST_ID}::uuid))
      order by opened_at, id limit ${of.limit}`,
  );
}

/** Which of these journals an intent still names. */
export async function neededJournals(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ journal: string }>`
      select distinct journal from sends where status is null and journal = any(${ids}::uuid[])
      union
      select distinct journal from campaign_pages where state = 'open' and journal = any(${ids}::uuid[])`,
  );
  return found.map(({ journal }) => journal);
}
