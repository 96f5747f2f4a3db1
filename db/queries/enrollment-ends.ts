import { type RawBuilder, sql } from 'kysely';
import { type EndReason, endStatus } from '../../domain/sequence/end-reason.ts';
import { KINDS_FINISHING_AFTER_END } from '../../domain/sequence/kinds/node-kinds.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import type { EnrollmentRow, ProjectRow, SequenceRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRows, rows } from '../rows.ts';
import { emitAll, type OutgoingEvent } from './emit.ts';
import { wakeEnrollments } from './enrollment-wakes.ts';
import { IS_OVER } from './is-over.ts';
import { enqueue, type Outgoing } from './outbox.ts';

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

interface EndedRun extends Pick<EnrollmentRow, 'id' | 'parent_id' | 'project_id' | 'contact_id'>, Pick<ProjectRow, 'has_webhooks'> {
  readonly sequence_key: SequenceRow['key'];
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
    sql<Pick<EnrollmentRow, 'id'>>`
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
