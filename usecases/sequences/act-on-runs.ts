import type { EnrollmentActionRow } from '../../db/entities/index.ts';
import { badDataMessage } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, enqueueEach, enrollmentActionStart, enrollmentSignal, enrollmentStart } from '../../db/queries/operations/outbox.ts';
import {
  actionsToStart,
  countRunningActions,
  endAction,
  insertAction,
  keepAction,
  lockAction,
  lockThoseStanding,
  type NewEnrollmentAction,
  takeRuns,
} from '../../db/queries/sequences/enrollment-actions.ts';
import { keepCancellers } from '../../db/queries/sequences/enrollment-ends.ts';
import { type LockedEnrollment, lockEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import { findSequenceOf } from '../../db/queries/sequences/sequences.ts';
import { Refusal } from '../../domain/errors.ts';
import { type EnrollmentActionName, MOST_ACTIONS } from '../../domain/sequences/enrollment-action.ts';
import { type ActionReport, CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { awaitMailsInFlight } from '../sends/await-mails-in-flight.ts';
import { cancelRuns } from './end-enrollment.ts';
import { beginAgain, type Destination, type Moving, moveRun } from './move-run.ts';

/** Of one transaction. A run that goes on elsewhere has one of its own, since it is walked on with its contact locked. */
const PORTION: Readonly<Record<EnrollmentActionName, number>> = { move: 1, migrate: 1, retry: 1, cancel: 100, resume: 500 };

/** Has something done with all runs that match now, by a workflow. Throws invalid_status while too many of the sequence run. The row of the sequence is locked. */
export async function beginAction(tx: EntityManager, asked: NewEnrollmentAction): Promise<EnrollmentActionRow> {
  if ((await countRunningActions(tx, asked.sequence_id)) >= MOST_ACTIONS)
    throw new Refusal(
      'invalid_status',
      `${MOST_ACTIONS} actions over runs of this sequence are under way already: wait until one has ended, or cancel it`,
    );
  const begun = await insertAction(tx, asked);
  await enqueue(tx, begun.project_id, [enrollmentActionStart(begun.id)], { isBulk: true });
  return begun;
}

/** What a portion came to. */
interface Portion {
  readonly report: ActionReport;
  /** Runs that it cancelled. */
  readonly cancelled: readonly string[];
}

/** Portion after portion until all were looked at, or the signal comes. `progress`: called after each. Of a run that was cancelled no mail is in flight any more when it is told. */
export async function actInPortions(
  em: EntityManager,
  id: string,
  {
    signal,
    moving,
    progress,
  }: { readonly signal: AbortSignal; readonly moving: () => Moving; readonly progress: (soFar: ActionReport) => void },
): Promise<ActionReport> {
  for (;;) {
    const { report, cancelled } = await nextPortion(em, id, moving());
    await awaitMailsInFlight(em, { enrollmentIds: cancelled });
    progress(report);
    if (report.state !== 'more' || signal.aborted) return report;
  }
}

/** A run whose data the database refuses would hold up all those after it: it stays where it is. */
async function nextPortion(em: EntityManager, id: string, moving: Moving): Promise<Portion> {
  try {
    return await em.transactional((tx) => portionOf(tx, id, { moving, isPassedOver: false }));
  } catch (error) {
    if (badDataMessage(error) === undefined) throw error;
    return em.transactional((tx) => portionOf(tx, id, { moving, isPassedOver: true }));
  }
}

/** What is done and how far it is are one transaction, so that each run is acted on once, whatever process dies. */
async function portionOf(
  tx: EntityManager,
  id: string,
  { moving, isPassedOver }: { readonly moving: Moving; readonly isPassedOver: boolean },
): Promise<Portion> {
  const action = await lockAction(tx, id);
  // Gone with its sequence.
  if (!action) return { report: { state: 'ended', action: 'cancel', done: 0, skipped: 0, total: 0 }, cancelled: [] };
  const soFar = (
    state: ActionReport['state'],
    { done, skipped }: Pick<EnrollmentActionRow, 'done' | 'skipped'> = action,
  ): ActionReport => ({
    ...{ state, action: action.action, done, skipped, total: action.total },
  });
  if (action.status !== 'running') return { report: soFar('ended'), cancelled: [] };
  const sequence = await findSequenceOf(tx, action.sequence_id);
  if (!sequence || sequence.status === 'archived') {
    await endAction(tx, id, 'cancelled');
    return { report: soFar('ended'), cancelled: [] };
  }
  const ids = await takeRuns(tx, action, PORTION[action.action]);
  const last = ids.at(-1);
  if (last === undefined) {
    await endAction(tx, id, 'completed');
    return { report: soFar('ended'), cancelled: [] };
  }
  const { done, cancelled = [] } = isPassedOver ? { done: 0 } : await act(tx, action, ids, moving);
  const after = { done: action.done + done, skipped: action.skipped + ids.length - done };
  await keepAction(tx, id, { ...after, last });
  return { report: soFar('more', after), cancelled };
}

interface Acted {
  /** With how many of the runs it was done; the others stand otherwise by now. */
  readonly done: number;
  readonly cancelled?: readonly string[];
}

async function act(tx: EntityManager, action: EnrollmentActionRow, ids: readonly string[], moving: Moving): Promise<Acted> {
  switch (action.action) {
    case 'cancel':
      return cancelThose(tx, action, await lockThoseStanding(tx, action, ids), moving.now);
    case 'resume':
      return tryAgain(tx, action, await lockThoseStanding(tx, action, ids));
    case 'retry':
      return retryOne(tx, action, ids[0]!, moving);
    case 'move':
    case 'migrate':
      return moveOne(tx, action, ids[0]!, moving);
    default:
      return action.action satisfies never;
  }
}

async function cancelThose(tx: EntityManager, { key_id }: EnrollmentActionRow, ids: readonly string[], now: Date): Promise<Acted> {
  const cancelled = await cancelRuns(tx, ids, 'cancelled', now);
  if (key_id !== null) await keepCancellers(tx, cancelled, key_id);
  return { done: cancelled.length, cancelled };
}

/** What holds them may be over: they look at once, and what was to be tried again is. */
async function tryAgain(tx: EntityManager, { project_id }: EnrollmentActionRow, ids: readonly string[]): Promise<Acted> {
  const signals = ids.map((id) => enrollmentSignal(id, RETRY_NOW_SIGNAL));
  await enqueue(tx, project_id, signals, { isBulk: true });
  return { done: ids.length };
}

async function retryOne(tx: EntityManager, action: EnrollmentActionRow, id: string, moving: Moving): Promise<Acted> {
  const enrollment = await lockEnrollment(tx, id);
  if (!enrollment || (await lockThoseStanding(tx, action, [id])).length === 0) return { done: 0 };
  const { to_node: nodeId, to_version: version } = action;
  const to = nodeId !== null && version !== null ? { nodeId, version } : undefined;
  if (enrollment.status === 'active') return to ? moveTo(tx, enrollment, to, moving) : tryAgain(tx, action, [id]);
  if (!(await beginAgain(tx, enrollment, to, moving))) return { done: 0 };
  await enqueue(tx, action.project_id, [enrollmentStart(id)], { isBulk: true });
  return { done: 1 };
}

async function moveOne(tx: EntityManager, action: EnrollmentActionRow, id: string, moving: Moving): Promise<Acted> {
  const { to_node, to_version, migrate } = action;
  const enrollment = await lockEnrollment(tx, id);
  if (!enrollment || enrollment.sequence_status === 'archived') return { done: 0 };
  if ((await lockThoseStanding(tx, action, [id])).length === 0) return { done: 0 };
  const nodeId = migrate === null ? to_node : migrate[enrollment.current_node_id ?? ''];
  if (nodeId === undefined || to_version === null) return { done: 0 };
  if (nodeId === null) return cancelThose(tx, action, [id], moving.now);
  return moveTo(tx, enrollment, { nodeId, version: to_version }, moving);
}

async function moveTo(tx: EntityManager, enrollment: LockedEnrollment, to: Destination, moving: Moving): Promise<Acted> {
  if (!(await moveRun(tx, enrollment, to, moving))) return { done: 0 };
  await enqueue(tx, enrollment.project_id, [enrollmentSignal(enrollment.id, CHANGED_SIGNAL)], { isBulk: true });
  return { done: 1 };
}

/** No further run is touched by it; what was done stays. Whether it ran. */
export async function cancelAction(em: EntityManager, id: string): Promise<boolean> {
  return em.transactional((tx) => endAction(tx, id, 'cancelled'));
}

/** Starts the workflows of those that run; one whose start is on its way already is passed over. Returns how many. */
export async function restartActions(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await actionsToStart(tx, ids), enrollmentActionStart, { isBulk: true });
}
