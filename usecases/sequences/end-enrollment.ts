import type { EntityManager } from '../../db/orm.ts';
import { enqueue, type Outgoing } from '../../db/queries/operations/outbox.ts';
import { type EndedRun, keepCanceller, lockRunsIn, markEnded, type RunsToEnd } from '../../db/queries/sequences/enrollment-ends.ts';
import { signalEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { emitAll, type OutgoingEvent } from '../../db/queries/webhooks/emit.ts';
import { type EndReason, endStatus } from '../../domain/sequences/end-reason.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';

/** Ends an active enrollment; a later call changes nothing. Returns whether this call ended it. */
export async function endEnrollment(tx: EntityManager, enrollmentId: string, reason: EndReason, now: Date): Promise<boolean> {
  return (await endRuns(tx, { id: enrollmentId }, reason, now)).length === 1;
}

export interface Cancelling {
  readonly projectId: string;
  readonly enrollmentId: string;
  /** Which key asks for it. */
  readonly keyId: string;
  readonly now: Date;
}

/** Cancels an active enrollment of the project and its workflow. False when there is none with that id. */
export async function cancelEnrollment(em: EntityManager, { projectId, enrollmentId, keyId, now }: Cancelling): Promise<boolean> {
  return em.transactional(async (tx) => {
    const [ended] = await cancel(tx, { id: enrollmentId, shownBy: projectId }, 'cancelled', now);
    if (ended !== undefined) await keepCanceller(tx, ended, keyId);
    return ended !== undefined;
  });
}

/** Cancels the contact's active enrollments in these sequences, the sandboxed ones or the others; unknown keys are passed over. Returns the ended ids. */
export async function exitSequences(
  tx: EntityManager,
  projectId: string,
  contactId: string,
  { keys, isSandboxed }: { readonly keys: readonly string[]; readonly isSandboxed: boolean },
  now: Date,
): Promise<string[]> {
  if (keys.length === 0) return [];
  return cancelRuns(tx, await lockRunsIn(tx, projectId, contactId, keys, isSandboxed), 'exit_sequences', now);
}

/** Cancels those that are active of enrollments whose rows are locked, in the order of their ids as everybody locks several. */
export async function cancelRuns(tx: EntityManager, ids: readonly string[], reason: EndReason, now: Date): Promise<string[]> {
  return ids.length === 0 ? [] : cancel(tx, { ids }, reason, now);
}

/** Ends active enrollments as cancelled, and their workflows with them. Returns the ended ids. */
async function cancel(tx: EntityManager, which: RunsToEnd, reason: EndReason, now: Date): Promise<string[]> {
  const ended = await endRuns(tx, which, reason, now);
  const cancels = ended.map<Outgoing>(({ id }) => ({ workflowId: enrollmentWorkflowId(id), message: { kind: 'cancel' } }));
  if (ended[0]) await enqueue(tx, ended[0].project_id, cancels);
  return ended.map(({ id }) => id);
}

/** Ends active enrollments of one project, signals the runs that wait for them, and emits the events of those that completed. */
async function endRuns(tx: EntityManager, which: RunsToEnd, reason: EndReason, now: Date): Promise<EndedRun[]> {
  const ended = await markEnded(tx, which, reason, now);
  // Those whose subflow node waits for one of these.
  await signalEnrollments(tx, [...new Set(ended.flatMap(({ parent_id }) => parent_id ?? []))]);
  const emitting = endStatus(reason) === 'completed' ? ended.filter(({ has_webhooks }) => has_webhooks) : [];
  const [first] = emitting;
  if (first) {
    const events = emitting.map((run) => completion(run, reason));
    await emitAll(tx, first.project_id, events);
  }
  return ended;
}

function completion({ id, sequence_key, contact_id, sandboxed }: EndedRun, reason: EndReason): OutgoingEvent {
  return { type: 'sequence.completed', data: { enrollment_id: id, sequence_key, contact_id, reason, ...(sandboxed ? { sandboxed } : {}) } };
}
