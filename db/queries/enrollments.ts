import { sql } from 'kysely';
import { type EndReason, endStatus } from '../../domain/sequence/interpret.ts';
import { CHANGED_SIGNAL, enrollmentWorkflowId, type HoldReason } from '../../workflows/contracts.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { enqueue } from './outbox.ts';

/** Ends an active enrollment; whoever comes later changes nothing. Returns whether this call was the one. */
export async function endEnrollment(tx: EntityManager, enrollmentId: string, reason: EndReason, now: Date): Promise<boolean> {
  const ended = await row(
    tx,
    sql`update enrollments set status = ${endStatus(reason)}, end_reason = ${reason}, ended_at = ${now}, waiting_for = null, wakes_at = null
        where id = ${enrollmentId} and status = 'active' returning 1 as ended`,
  );
  return ended !== undefined;
}

/** Cancels an active enrollment of the project and its workflow. False when there is none with that id. */
export async function cancelEnrollment(em: EntityManager, projectId: string, enrollmentId: string, now: Date): Promise<boolean> {
  return em.transactional(async (tx) => {
    const mine = await row(tx, sql`select 1 from enrollments where id = ${enrollmentId} and project_id = ${projectId}`);
    if (!mine || !(await endEnrollment(tx, enrollmentId, 'cancelled', now))) return false;
    await enqueue(tx, [{ workflowId: enrollmentWorkflowId(enrollmentId), message: { kind: 'cancel' } }]);
    return true;
  });
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
  const ended = await rows(
    tx,
    sql<{ id: string }>`
      update enrollments e set status = 'cancelled', end_reason = 'exit_sequences', ended_at = ${now}, waiting_for = null, wakes_at = null
      from sequences s
      where s.id = e.sequence_id and s.project_id = ${projectId} and s.key = any(${keys}) and e.contact_id = ${contactId} and e.status = 'active'
      returning e.id`,
  );
  const ids = ended.map(({ id }) => id);
  await enqueue(
    tx,
    ids.map((id) => ({ workflowId: enrollmentWorkflowId(id), message: { kind: 'cancel' } })),
  );
  return ids;
}

/** Makes every enrollment of the project that is held look again: something that held it has changed. */
export async function wakeHeldEnrollments(tx: EntityManager, projectId: string): Promise<void> {
  const held = await rows(
    tx,
    sql<{ id: string }>`select id from enrollments where project_id = ${projectId} and status = 'active' and waiting_for like 'held:%'`,
  );
  await enqueue(
    tx,
    held.map(({ id }) => ({ workflowId: enrollmentWorkflowId(id), message: { kind: 'signal', signal: CHANGED_SIGNAL } })),
  );
}

/** How many mails of these enrollments are being handed over at this instant. Intents in doubt do not count. */
export async function countHandOvers(em: EntityManager, enrollmentIds: readonly string[], since: Date): Promise<number> {
  const found = await row(
    em,
    sql<{ count: number }>`select count(*) as count from sends
      where enrollment_id = any(${enrollmentIds}::uuid[]) and status is null and opened_at > ${since}`,
  );
  return found?.count ?? 0;
}

/** The visit that a mail is for, with what its rendering needs. */
export interface SendStep {
  readonly enrollment_id: string;
  readonly status: string;
  readonly node_id: string;
  readonly visit: number;
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
  return row(
    em,
    sql<SendStep>`
      select e.id as enrollment_id, e.status, st.node_id, st.visit, e.project_id, p.slug as project_slug, e.sequence_id, e.sequence_version,
             e.contact_id, c.email, c.brand_id, ev.data as event_data
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}

/** Shows what holds an active enrollment back. */
export async function holdEnrollment(em: EntityManager, enrollmentId: string, heldBy: HoldReason): Promise<void> {
  await row(em, sql`update enrollments set waiting_for = ${`held:${heldBy}`} where id = ${enrollmentId} and status = 'active'`);
}
