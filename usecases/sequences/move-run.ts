import type { EntityManager } from '../../db/orm.ts';
import type { LockedEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import { leaveStep, reviveRun } from '../../db/queries/sequences/moved-runs.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import { nodeOf, type SequenceGraph } from '../../domain/sequences/graph.ts';
import type { SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { arriveAt } from './advance-enrollment.ts';
import { enrollmentContext } from './enrollment-context.ts';
import type { Advance } from './locked-run.ts';

/** How a run is to go on that is not asked by its own workflow. */
export type Moving = Omit<Advance, 'enrollmentId' | 'report'>;

/** Where a run is to go on. */
export interface Destination {
  readonly version: number;
  readonly nodeId: string;
}

/**
 * Moves an active run, locked by this transaction, to a node of a version of its sequence, where it arrives as if it had just got there. A mail or a
 * call in flight ends for itself, and has its outcome in the trace; none is begun any more where the run stood. False where it stands there already.
 */
export async function moveRun(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  { version, nodeId }: Destination,
  moving: Moving,
): Promise<boolean> {
  const { last } = enrollment;
  if (enrollment.sequence_version === version && last?.node_id === nodeId) return false;
  const graph = await loadGraph(tx, enrollment.sequence_id, version);
  const node = nodeOf(graph, nodeId);
  if (!node) return false;
  await leaveFor(tx, enrollment, { version, nodeId });
  await goOn(tx, { ...enrollment, sequence_version: version, waiting_for: null }, { graph, node }, moving);
  return true;
}

async function leaveFor(tx: EntityManager, { id, last }: LockedEnrollment, { version, nodeId }: Destination): Promise<void> {
  await leaveStep(tx, id, { step: last?.step, version, detail: `moved to ${nodeId} of version ${version}` });
}

/**
 * A run that ended since a step failed goes on there, or at `to`, as if it had just got there; false where it may not. It keeps its id and its trace,
 * and the caller starts its workflow.
 */
export async function beginAgain(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  to: Destination | undefined,
  moving: Moving,
): Promise<boolean> {
  const { last, sequence_status } = enrollment;
  const version = to?.version ?? enrollment.sequence_version;
  const graph = await loadGraph(tx, enrollment.sequence_id, version);
  const nodeId = to?.nodeId ?? last?.node_id;
  const node = nodeId === undefined ? undefined : nodeOf(graph, nodeId);
  if (!node || sequence_status === 'archived') return false;
  if (!(await reviveRun(tx, enrollment, { mayBeTwice: graph.reentry === 'always', now: moving.now }))) return false;
  if (to) await leaveFor(tx, enrollment, to);
  await goOn(tx, { ...enrollment, sequence_version: version, status: 'active', hops: 0 }, { graph, node }, moving);
  return true;
}

async function goOn(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  { graph, node }: { readonly graph: SequenceGraph; readonly node: SequenceNode },
  moving: Moving,
): Promise<void> {
  const context = await enrollmentContext(tx, enrollment, graph, moving.now);
  const advance = { ...moving, enrollmentId: enrollment.id, report: undefined };
  await arriveAt({ tx, enrollment, graph, context, advance, reported: undefined }, node);
}
