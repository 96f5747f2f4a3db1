import { type RawBuilder, sql } from 'kysely';
import { errorText, IN_DOUBT_AFTER_MS, type SendFailure, type SendOutcome, type SendType, type SourceType } from '../../domain/send.ts';
import type { FrequencyCap } from '../../domain/sequence/graph.ts';
import type { HoldReason } from '../../workflows/contracts.ts';
import type { SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, row, rows } from '../rows.ts';
import { applyReport } from './delivery-reports.ts';
import { emailEvents, emitting } from './emit.ts';
import { capHold } from './frequency-cap.ts';
import { refusal } from './permission.ts';

/** What makes a send the same send again: a caller's key, or one visit of one enrollment to one node. */
export type SendIdentity =
  | { readonly by: 'nothing' }
  | { readonly by: 'key'; readonly key: string; readonly requestHash: Buffer }
  | VisitIdentity;

export interface VisitIdentity {
  readonly by: 'visit';
  readonly enrollmentId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly reachedAt: Date;
  readonly cap: FrequencyCap | null;
}

export interface SendIntent {
  readonly id: string;
  readonly projectId: string;
  readonly contactId: string | null;
  readonly brandId: string;
  readonly toEmail: string;
  readonly template: string;
  readonly type: SendType;
  readonly sourceType: SourceType;
  readonly sourceId: string | null;
  readonly identity: SendIdentity;
  readonly now: Date;
}

export type OpenedSend =
  | { readonly state: 'open' }
  /** May not get it. The row is written with its outcome, except for a step of a sequence, which is skipped without one. */
  | { readonly state: 'refused'; readonly reason: SendFailure }
  /** This send was opened before. */
  | { readonly state: 'known'; readonly send: SendRow }
  /** A step of a sequence that may not go on now, or not any more. */
  | Held
  | { readonly state: 'ended' }
  /** It waited as long as it may for a place under the frequency cap. */
  | { readonly state: 'capped' };

export interface Held {
  readonly state: 'held';
  readonly by: HoldReason;
  /** When it may go on by itself; null when only a change can let it go on. */
  readonly until: Date | null;
}

/**
 * Writes the intent before the provider is called, unique by its identity. Whether the address may get this mail now is decided in
 * the same statement: suppressed for every mail, unsubscribed and bounced for marketing. A step of a sequence shares its enrollment's row
 * lock, so that of a cancellation and a send one is first.
 */
export async function openSend(em: EntityManager, intent: SendIntent): Promise<OpenedSend> {
  const { identity, type, contactId } = intent;
  const cap = identity.by === 'visit' && type === 'marketing' ? identity.cap : null;
  if (identity.by !== 'visit' || !cap || !contactId) return insertIntent(em, intent);
  return em.transactional(async (tx) => {
    // Two sequences that send to one contact at once must not both find the last place free.
    await row(tx, sql`select 1 from contacts where id = ${contactId} for update`);
    const hold = await capHold(tx, intent, identity, cap);
    if (hold === undefined) return insertIntent(tx, intent);
    return hold === 'given up' ? { state: 'capped' } : { state: 'held', by: 'frequency_cap', until: hold.until };
  });
}

async function insertIntent(em: EntityManager, intent: SendIntent): Promise<OpenedSend> {
  const { identity, now, projectId, toEmail, type, contactId } = intent;
  const key = identity.by === 'key' ? identity : undefined;
  const visit = identity.by === 'visit' ? identity : undefined;
  const opened = await hotRow(
    em,
    sql<{ refused: SendFailure | null; hold: 'ended' | HoldReason | null; inserted: boolean }>`
      with permission as (
        select ${refusal({ projectId, email: toEmail, type, contactId })} as refused, ${visit ? holdOf(visit.enrollmentId) : sql`null::text`} as hold
      ), intent as (
        insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, source_type, source_id, enrollment_id, node_id,
                           visit, idempotency_key, request_hash, opened_at, created_at, status, error)
        select ${intent.id}, ${intent.projectId}, ${intent.contactId}::uuid, ${intent.brandId}, ${intent.toEmail}, ${intent.template},
               ${intent.type}, ${intent.sourceType}, ${intent.sourceId}, ${visit?.enrollmentId}::uuid, ${visit?.nodeId}, ${visit?.visit}::integer,
               ${key?.key}, ${key?.requestHash}::bytea, ${now}, ${now}, case when refused is not null then 'failed' end, refused
        from permission where hold is null and (refused is null or ${visit === undefined})
        on conflict do nothing returning 1
      )
      select refused, hold, exists (select 1 from intent) as inserted from permission`,
  );
  if (!opened) throw new Error('the permission of a send was not decided');
  if (opened.hold) return opened.hold === 'ended' ? { state: 'ended' } : { state: 'held', by: opened.hold, until: null };
  if (opened.refused && (opened.inserted || visit)) return { state: 'refused', reason: opened.refused };
  if (opened.inserted) return { state: 'open' };
  const send = await findKnownSend(em, intent.projectId, identity);
  // The holder of the key let it go between the two statements: the place is free again.
  return send ? { state: 'known', send } : openSend(em, intent);
}

/** What keeps the runs of sequence `s` in project `p` from sending: decisions.md 7.2 and 9.7. */
const HELD_BY = sql.raw(`case when s.status in ('draft', 'paused') then 'paused' when p.status <> 'active' then 'project_suspended'
                              when not p.owner_email_verified then 'email_unverified' end`);

/** What keeps an enrollment from sending at this instant. */
function holdOf(enrollmentId: string): RawBuilder<unknown> {
  return sql`(
    select case when e.status <> 'active' or s.status = 'archived' then 'ended' else ${HELD_BY} end
    from enrollments e join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id
    where e.id = ${enrollmentId} for share of e)`;
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

/**
 * The failed row of a step whose mail cannot be made: its template, brand or sender does not allow it. A step that may not go on now, or
 * whose contact may not get it anyway, has none: the answer says which it was.
 */
export async function recordUnsendable(em: EntityManager, intent: SendIntent, reason: SendFailure, message: string): Promise<OpenedSend> {
  const opened = await openSend(em, intent);
  if (opened.state === 'open') await closeSend(em, intent.id, { status: 'failed', reason, message, subject: '' });
  return opened;
}

/** The row that a caller's key, or a visit, already has. */
export async function findKnownSend(em: EntityManager, projectId: string, identity: SendIdentity): Promise<SendRow | undefined> {
  switch (identity.by) {
    case 'nothing':
      return undefined;
    case 'key':
      return row(em, sql<SendRow>`select * from sends where project_id = ${projectId} and idempotency_key = ${identity.key}`);
    case 'visit':
      return row(
        em,
        sql<SendRow>`select * from sends
          where enrollment_id = ${identity.enrollmentId} and node_id = ${identity.nodeId} and visit = ${identity.visit}`,
      );
    default:
      return identity satisfies never;
  }
}

/**
 * Only a pending intent gets an outcome; a late retry changes nothing. The event for webhooks is written by the same statement, and with
 * an address that does not exist the bounce in the same transaction. Returns whether this call was the one.
 */
export async function closeSend(em: EntityManager, id: string, outcome: SendOutcome): Promise<boolean> {
  if (outcome.status === 'sent' || !outcome.badAddress) return (await recordOutcome(em, id, outcome)) !== undefined;
  return em.transactional(async (tx) => {
    const send = await recordOutcome(tx, id, outcome);
    if (!send) return false;
    const code = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(outcome.message)?.[0];
    const bounce = { kind: 'hard', ...(code ? { code } : {}) } as const;
    const now = send.closed_at ?? send.opened_at;
    await applyReport(tx, send, { status: 'bounced', bounce, occurredAt: now, isFirst: true, softBounceLimit: 1, now });
    return true;
  });
}

type ClosedSend = Pick<SendRow, 'id' | 'project_id' | 'contact_id' | 'to_email' | 'delivery_status' | 'opened_at' | 'closed_at'>;

async function recordOutcome(em: EntityManager, id: string, outcome: SendOutcome): Promise<ClosedSend | undefined> {
  const { status, subject } = outcome;
  const providerId = outcome.status === 'sent' ? (outcome.providerId ?? null) : null;
  const error = outcome.status === 'failed' ? errorText(outcome.reason, outcome.message) : null;
  // What surely was not accepted may be asked for again under the same key: decisions.md 4.3.
  const freesKey = outcome.status === 'failed' && outcome.reason === 'provider_unavailable';
  const update = sql`
    update sends set status = ${status}, subject = ${subject}, provider_id = ${providerId}, error = ${error}, closed_at = now(),
           idempotency_key = case when ${freesKey} then null else idempotency_key end
    where id = ${id} and status is null`;
  const columns = sql`id, project_id, contact_id, to_email, delivery_status, opened_at, closed_at`;
  // The second form costs twice as much; most projects have no endpoint.
  if (outcome.status === 'failed' || !outcome.isHeard) return hotRow(em, sql<ClosedSend>`${update} returning ${columns}`);
  return hotRow(
    em,
    sql<ClosedSend>`
      with closed as (${update} returning *), told as (${emitting(emailEvents('closed', 'email.sent'))}) select ${columns} from closed`,
  );
}

/** Takes back an intent that surely reached nobody, so that its visit can try again later without a trace in the log. */
export async function withdrawSend(em: EntityManager, id: string): Promise<void> {
  await row(em, sql`delete from sends where id = ${id} and status is null`);
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

/** Gives every intent older than this its outcome, `outcome_unknown`: nothing disappears without a row. Returns how many. */
export async function closeInDoubt(em: EntityManager, openedBefore: Date): Promise<number> {
  const closed = await rows(
    em,
    sql`update sends set status = 'failed', closed_at = now(), error = 'outcome_unknown: no answer was recorded after the hand-over'
        where status is null and opened_at < ${openedBefore} returning id`,
  );
  return closed.length;
}
