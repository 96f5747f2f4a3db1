import { sql } from 'kysely';
import { IN_DOUBT_AFTER_MS } from '../../domain/hand-over-times.ts';
import type { SendFailure, SendType, SourceType } from '../../domain/send.ts';
import { errorText } from '../../domain/send.ts';
import type { FrequencyCap } from '../../domain/sequence/graph.ts';
import { storable } from '../../domain/storable-text.ts';
import type { EntityManager } from '../orm.ts';
import { prepared, row, rows } from '../rows.ts';
import { ERASED } from './permission.ts';
import { HELD_BY, type SendGate } from './send-gates.ts';

/** What makes a send the same send again: a caller's key, or one visit of one enrollment to one node. */
export type SendIdentity =
  | { readonly by: 'nothing' }
  | { readonly by: 'key'; readonly key: string; readonly requestHash: Buffer }
  | { readonly by: 'visit'; readonly enrollmentId: string; readonly nodeId: string; readonly visit: number };

/** What is written before the provider is called. */
export interface SendIntent {
  readonly id: string;
  readonly projectId: string;
  readonly contactId: string | null;
  readonly brandId: string;
  readonly toEmail: string;
  readonly template: string;
  readonly type: SendType;
  /** "" when it could not be rendered. */
  readonly subject: string;
  readonly sourceType: SourceType;
  readonly sourceId: string | null;
  readonly identity: SendIdentity;
  readonly now: Date;
  /** Why there is nothing to hand over: the row is then written as failed at once, if the gate lets it be. */
  readonly failure?: { readonly reason: SendFailure; readonly message: string } | undefined;
  /** The arm of a campaign with variants. */
  readonly variant?: string | undefined;
  /** Of a marketing mail of a sequence. */
  readonly cap?: FrequencyCap | undefined;
}

/**
 * `opened`: written by this call, as an intent or with its failure. `known`: what this send stands on is not as it was: it was opened before,
 * or its contact was erased. `refused`: the word of the gate; whether a row was written is the gate's to say.
 */
export type OpenedSend = { readonly state: 'opened' | 'known' } | { readonly state: 'refused'; readonly verdict: string };

interface OpenedRow {
  readonly place: number;
  readonly verdict: string | null;
  readonly inserted: boolean;
}

function opening({ verdict, logsRefused }: SendGate) {
  const mayBeWritten = logsRefused ? sql`j.verdict is distinct from ${sql.lit(ERASED)}` : sql`j.verdict is null`;
  return prepared(sql<OpenedRow>`
    with page as materialized (
      select * from json_to_recordset($1::json) as r(place integer, id uuid, project_id uuid, contact_id uuid, brand_id text, to_email text,
        template text, type text, subject text, source_type text, source_id text, enrollment_id uuid, node_id text, visit integer, key text,
        hash text, now timestamptz, error text, cap_count integer, cap_seconds double precision)
    ), judged as materialized (
      select r.*, ${verdict} as verdict from page r
    ), written as (
      insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, source_type, source_id, enrollment_id, node_id,
                         visit, idempotency_key, request_hash, opened_at, created_at, status, error, closed_at)
      select j.id, j.project_id, j.contact_id, j.brand_id, j.to_email, j.template, j.type,
             case when j.verdict is null then j.subject else '' end, j.source_type, j.source_id, j.enrollment_id, j.node_id, j.visit, j.key,
             decode(j.hash, 'hex'), j.now, j.now, case when coalesce(j.verdict, j.error) is not null then 'failed' end,
             coalesce(j.verdict, j.error), case when coalesce(j.verdict, j.error) is not null then j.now end
      from judged j where ${mayBeWritten}
      on conflict do nothing returning id
    )
    select j.place, j.verdict, w.id is not null as inserted from judged j left join written w on w.id = j.id`);
}

const OPENINGS = new Map<SendGate, ReturnType<typeof opening>>();

/**
 * Writes the intents of a page in one statement, each unique by its identity, where the gate lets it. The answers are in the order of the
 * intents. Of steps under a frequency cap each contact is locked first, and comes once in a statement: of two that meet at the last place
 * the second sees the first.
 */
export async function openMany(em: EntityManager, gate: SendGate, intents: readonly SendIntent[]): Promise<OpenedSend[]> {
  if (!intents.some(({ cap }) => cap)) return openPage(em, gate, intents);
  const opened = new Map<SendIntent, OpenedSend>();
  for (let left = intents; left.length > 0; ) {
    const capped = new Set<string>();
    const page = left.filter(({ cap, contactId }) => !cap || !contactId || (!capped.has(contactId) && capped.add(contactId)));
    const answers = await em.transactional(async (tx) => {
      await lockContacts(
        tx,
        page.filter(({ cap }) => cap),
      );
      return openPage(tx, gate, page);
    });
    for (const [index, intent] of page.entries()) opened.set(intent, answers[index] as OpenedSend);
    left = left.filter((intent) => !opened.has(intent));
  }
  return intents.map((intent) => opened.get(intent) as OpenedSend);
}

async function openPage(em: EntityManager, gate: SendGate, intents: readonly SendIntent[]): Promise<OpenedSend[]> {
  const open = OPENINGS.get(gate) ?? opening(gate);
  OPENINGS.set(gate, open);
  const page = intents.map((intent, place) => ({ place, ...intentRow(intent) }));
  // One order for everybody who locks several enrollments.
  page.sort((a, b) => compareTexts(a.enrollment_id ?? '', b.enrollment_id ?? ''));
  const opened = new Array<OpenedSend>(intents.length);
  for (const { place, verdict, inserted } of await open(em, [JSON.stringify(page)])) {
    if (verdict !== null && (inserted || !gate.logsRefused)) opened[place] = { state: 'refused', verdict };
    else opened[place] = { state: inserted ? 'opened' : 'known' };
  }
  return opened;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An intent as JSON for one bulk statement. */
export function intentRow(intent: SendIntent) {
  const { identity, failure, cap } = intent;
  return {
    id: intent.id,
    project_id: intent.projectId,
    contact_id: intent.contactId,
    brand_id: intent.brandId,
    to_email: intent.toEmail,
    template: intent.template,
    type: intent.type,
    subject: storable(intent.subject),
    source_type: intent.sourceType,
    source_id: intent.sourceId,
    now: intent.now,
    ...(intent.variant === undefined ? {} : { variant: intent.variant }),
    ...(failure ? { error: storable(errorText(failure.reason, failure.message)) } : {}),
    ...(identity.by === 'key' ? { key: identity.key, hash: identity.requestHash.toString('hex') } : {}),
    ...(identity.by === 'visit' ? { enrollment_id: identity.enrollmentId, node_id: identity.nodeId, visit: identity.visit } : {}),
    ...(cap ? { cap_count: cap.count, cap_seconds: cap.windowHours * 3600 } : {}),
  };
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
 * attempt has taken over meanwhile: it was opened at another time.
 */
export async function withdrawSend(em: EntityManager, id: string, openedAt: Date): Promise<void> {
  await row(em, sql`delete from sends where id = ${id} and status is null and opened_at = ${openedAt}`);
}

/** Takes over an intent in doubt, for a provider that deduplicates. Of several callers one gets it. */
export async function reopenSend(em: EntityManager, id: string, now: Date): Promise<boolean> {
  const inDoubtSince = new Date(now.getTime() - IN_DOUBT_AFTER_MS);
  const taken = await row(
    em,
    sql`update sends set opened_at = ${now} where id = ${id} and status is null and opened_at <= ${inDoubtSince} returning 1 as taken`,
  );
  return taken !== undefined;
}

/** The error of a mail whose process died with it in hand. */
export const IN_DOUBT = errorText('outcome_unknown', 'no answer was recorded after the hand-over');

/** Gives every intent older than this its outcome, `outcome_unknown`: nothing disappears without a row. Returns how many. */
export async function closeInDoubt(em: EntityManager, openedBefore: Date): Promise<number> {
  const closed = await rows(
    em,
    sql`update sends set status = 'failed', closed_at = now(), error = ${IN_DOUBT}
        where status is null and opened_at < ${openedBefore} returning id`,
  );
  return closed.length;
}

/**
 * Whether the enrollment, noted as held just before, still is. It waits for whoever is changing its sequence or project: they either
 * found the note and wake it, or are found here.
 */
export async function holdStands(em: EntityManager, enrollmentId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ held_by: string | null }>`
      select ${HELD_BY} as held_by from enrollments e join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id
      where e.id = ${enrollmentId} and e.status = 'active' for share of s, p`,
  );
  return found !== undefined && found.held_by !== null;
}
