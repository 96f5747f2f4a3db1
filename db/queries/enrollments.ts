import { type RawBuilder, sql } from 'kysely';
import { type EndReason, endStatus } from '../../domain/sequence/end-reason.ts';
import { KINDS_FINISHING_AFTER_END } from '../../domain/sequence/kinds/node-kinds.ts';
import { enrollmentWorkflowId, type HoldReason } from '../../workflows/contracts.ts';
import { CONSENT_COLUMNS } from '../contact-columns.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, hotRows, row, rows } from '../rows.ts';
import { emitAll, type OutgoingEvent } from './emit.ts';
import { IS_OVER } from './is-over.ts';
import { enqueue, type Outgoing, wakeRuns } from './outbox.ts';

/** Ends an active enrollment; a later call changes nothing. Returns whether this call ended it. */
export async function endEnrollment(tx: EntityManager, enrollmentId: string, reason: EndReason, now: Date): Promise<boolean> {
  return (await endWhere(tx, sql`e.id = ${enrollmentId}`, reason, now)).length === 1;
}

/** Ends every active enrollment that matches and wakes the runs that wait for it. They are all of one project. */
async function endWhere(tx: EntityManager, which: RawBuilder<unknown>, reason: EndReason, now: Date): Promise<EndedRun[]> {
  // What was waited for does not come any more; a mail or a call in hand still gets its own outcome.
  const ended = await hotRows(
    tx,
    sql<EndedRun>`
      with ended as (
        update enrollments e set status = ${endStatus(reason)}, end_reason = ${reason}, ended_at = ${now}, waiting_for = null, wakes_at = null
        from sequences s, projects p where s.id = e.sequence_id and p.id = e.project_id and ${which} and e.status = 'active'
        returning e.id, e.parent_id, e.project_id, e.contact_id, s.key as sequence_key, p.has_webhooks
      ), left_over as (
        update enrollment_steps st set outcome = 'ended' from ended
        where st.enrollment_id = ended.id and st.outcome is null and st.kind <> all(${KINDS_FINISHING_AFTER_END})
      )
      select id, parent_id, project_id, contact_id, sequence_key, has_webhooks from ended`,
  );
  // Those whose subflow node waits for one of these.
  await wakeEnrollments(tx, [...new Set(ended.flatMap(({ parent_id }) => parent_id ?? []))]);
  const heard = endStatus(reason) === 'completed' ? ended.filter(({ has_webhooks }) => has_webhooks) : [];
  const [first] = heard;
  if (first)
    await emitAll(
      tx,
      first.project_id,
      heard.map((run) => completion(run, reason)),
    );
  return ended;
}

interface EndedRun {
  readonly id: string;
  readonly parent_id: string | null;
  readonly project_id: string;
  readonly contact_id: string;
  readonly sequence_key: string;
  readonly has_webhooks: boolean;
}

function completion({ id, sequence_key, contact_id }: EndedRun, reason: EndReason): OutgoingEvent {
  return { type: 'sequence.completed', data: { enrollment_id: id, sequence_key, contact_id, reason } };
}

/** Ends active enrollments as cancelled, and their workflows with them. Returns the ended ids. */
async function cancelWhere(tx: EntityManager, which: RawBuilder<unknown>, reason: EndReason, now: Date): Promise<string[]> {
  const ended = await endWhere(tx, which, reason, now);
  const cancels = ended.map<Outgoing>(({ id }) => ({ workflowId: enrollmentWorkflowId(id), message: { kind: 'cancel' } }));
  if (ended[0]) await enqueue(tx, ended[0].project_id, cancels);
  return ended.map(({ id }) => id);
}

/** Cancels an active enrollment of the project and its workflow. False when there is none with that id. */
export async function cancelEnrollment(em: EntityManager, projectId: string, enrollmentId: string, now: Date): Promise<boolean> {
  const mine = sql`e.id = ${enrollmentId} and e.project_id = ${projectId} and s.deleted_at is null`;
  return (await em.transactional((tx) => cancelWhere(tx, mine, 'cancelled', now))).length === 1;
}

/** Cancels the contact's active enrollments in these sequences; unknown keys are passed over. Returns the ended ids. */
export async function exitSequences(
  tx: EntityManager,
  projectId: string,
  contactId: string,
  keys: readonly string[],
  now: Date,
): Promise<string[]> {
  if (keys.length === 0) return [];
  const locked = await rows(
    tx,
    sql<{ id: string }>`
      select e.id from enrollments e where e.contact_id = ${contactId} and e.status = 'active' and exists (
        select 1 from sequences s where s.id = e.sequence_id and s.project_id = ${projectId} and s.key = any(${keys}) and not ${IS_OVER})
      order by e.id for update`,
  );
  return cancelRuns(
    tx,
    locked.map(({ id }) => id),
    'exit_sequences',
    now,
  );
}

/** Cancels those that are active of enrollments whose rows are locked, in the order of their ids as everybody locks several. */
export async function cancelRuns(tx: EntityManager, ids: readonly string[], reason: EndReason, now: Date): Promise<string[]> {
  return ids.length === 0 ? [] : cancelWhere(tx, sql`e.id = any(${ids}::uuid[])`, reason, now);
}

/** Wakes every held enrollment of the project: something that held it has changed. */
export async function wakeHeldEnrollments(tx: EntityManager, projectId: string): Promise<void> {
  await wakeRuns(tx, sql`e.project_id = ${projectId} and e.status = 'active' and e.waiting_for like 'held:%'`);
}

/** The same for one sequence that has become active again. */
export async function wakeHeldRuns(tx: EntityManager, projectId: string, sequenceId: string): Promise<void> {
  await wakeRuns(
    tx,
    sql`e.project_id = ${projectId} and e.sequence_id = ${sequenceId} and e.status = 'active' and e.waiting_for like 'held:%'`,
  );
}

/** Wakes the enrollments whose wait or goal depends on these contacts of the project: something about them has changed. */
export async function wakeWatchers(tx: EntityManager, projectId: string, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return;
  const watching = sql`e.contact_id = any(${contactIds}::uuid[]) and e.project_id = ${projectId} and e.status = 'active' and e.watches_contact`;
  await wakeRuns(tx, watching);
}

/** Signals the workflows of these enrollments, which then evaluate their step again; also of those that have just ended. */
export async function wakeEnrollments(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await wakeRuns(tx, sql`e.id = any(${ids}::uuid[])`);
}

/** The visit that a mail is for, with what its rendering needs. */
export interface SendStep {
  readonly enrollment_id: string;
  readonly status: string;
  readonly node_id: string;
  readonly visit: number;
  /** Null while the visit is still to be done. */
  readonly outcome: string | null;
  /** How long outages held this step up so far, in milliseconds. */
  readonly outage_ms: number;
  /** When it first met the frequency cap. */
  readonly capped_at: Date | null;
  readonly waiting_for: string | null;
  readonly project_id: string;
  readonly project_slug: string;
  readonly sequence_id: string;
  readonly sequence_version: number;
  readonly contact_id: string;
  readonly email: string;
  readonly brand_id: string;
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: Readonly<Record<string, unknown>> | null;
}

export async function sendStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<SendStep | undefined> {
  return hotRow(
    em,
    sql<SendStep>`
      select e.id as enrollment_id, e.status, st.node_id, st.visit, st.outcome, st.outage_ms, st.capped_at, e.waiting_for, e.project_id, p.slug as project_slug, e.sequence_id, e.sequence_version,
             e.contact_id, c.email, c.brand_id, ev.data as event_data
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}

/** What holds a step back, and since when. */
export interface StepHold {
  readonly enrollmentId: string;
  readonly step: number;
  readonly heldBy: HoldReason;
  /** When it may go on by itself; null when only a change can let it go on. */
  readonly until: Date | null;
  readonly now: Date;
}

/** Shows what holds an active enrollment back. A late attempt changes nothing once the visit has its outcome. */
export async function holdEnrollment(em: EntityManager, { enrollmentId, step, heldBy, until, now }: StepHold): Promise<void> {
  await row(
    em,
    sql`
      with standing as (
        update enrollment_steps set capped_at = case when ${heldBy === 'frequency_cap'} then coalesce(capped_at, ${now}) else capped_at end
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null returning 1
      )
      update enrollments set waiting_for = ${`held:${heldBy}`}, wakes_at = ${until}, held_at = ${now}
      where id = ${enrollmentId} and status = 'active' and exists (select 1 from standing)`,
  );
}

/** What held the step back may be over: it is tried again. The time of an outage counts against the patience with outages, no other does. */
export async function releaseHold(em: EntityManager, enrollmentId: string, step: number, now: Date): Promise<void> {
  await row(
    em,
    sql`
      with held as (
        select id, waiting_for, held_at from enrollments where id = ${enrollmentId} and waiting_for like 'held:%' for update
      ), waited as (
        update enrollment_steps s set outage_ms = s.outage_ms + greatest(0, extract(epoch from ${now}::timestamptz - h.held_at) * 1000)::bigint
        from held h where s.enrollment_id = h.id and s.step = ${step} and h.waiting_for = 'held:provider_unavailable'
      )
      update enrollments e set waiting_for = null, wakes_at = null, held_at = null from held h where e.id = h.id`,
  );
}

/** The visit that a webhook node is called for. */
export interface WebhookStep {
  readonly status: string;
  /** Null while the visit is still to be done. */
  readonly outcome: string | null;
  readonly detail: string | null;
  readonly node_id: string;
  readonly visit: number;
  readonly sequence_id: string;
  readonly sequence_version: number;
  readonly sequence_key: string;
  readonly project_id: string;
  readonly sealed_webhook_secret: Buffer;
  /** As JSON. */
  readonly contact: Readonly<Record<string, unknown>>;
  readonly event_data: Readonly<Record<string, unknown>> | null;
}

export async function webhookStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<WebhookStep | undefined> {
  return row(
    em,
    sql<WebhookStep>`
      select e.status, st.outcome, st.detail, st.node_id, st.visit, e.sequence_id, e.sequence_version, s.key as sequence_key, e.project_id, p.sealed_webhook_secret,
             to_jsonb(c) - ${['project_id', ...CONSENT_COLUMNS]}::text[] as contact,
             ev.data as event_data
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}

/** Whether an enrollment is there that is not active any more. */
export async function hasEnded(em: EntityManager, enrollmentId: string): Promise<boolean> {
  return (await row(em, sql`select 1 from enrollments where id = ${enrollmentId} and status <> 'active'`)) !== undefined;
}

/** Shows that a refused call is made again at `until`: decisions.md 9.8. */
export async function showCallRetry(
  em: EntityManager,
  { enrollmentId, step, until }: { readonly enrollmentId: string; readonly step: number; readonly until: Date },
): Promise<void> {
  await row(
    em,
    sql`update enrollments set waiting_for = 'webhook', wakes_at = ${until} where id = ${enrollmentId} and status = 'active'
          and exists (select 1 from enrollment_steps where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null)`,
  );
}

/** Which of these are active still. */
export async function activeEnrollments(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const active = await rows(em, sql<{ id: string }>`select id from enrollments where id = any(${ids}::uuid[]) and status = 'active'`);
  return active.map(({ id }) => id);
}

/** The active enrollments of all projects that come after this id (null: from the first), in order. */
export async function pageOfActive(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const page = await rows(
    em,
    sql<{ id: string }>`select id from enrollments where status = 'active' and id > ${after ?? NIL}::uuid order by id limit ${limit}`,
  );
  return page.map(({ id }) => id);
}

/** Before every other. */
const NIL = '00000000-0000-0000-0000-000000000000';
