import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { gatherEvent } from '../../db/queries/sequences/digests.ts';
import { signalEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { recordOutcome } from '../../db/queries/sequences/enrollment-steps.ts';
import { type ActiveRun, lockActiveRuns, setLatestEvent } from '../../db/queries/sequences/event-waits.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import { digestOutcome } from '../../domain/sequences/gathered.ts';
import { nodeOf, type SequenceGraph } from '../../domain/sequences/graph.ts';
import { taskAt } from '../../domain/sequences/interpret.ts';
import { endEnrollment } from './end-enrollment.ts';
import { enrollKept } from './enroll-kept.ts';
import { type ArrivedEvent, fits, triggers } from './match-event.ts';

/** What an event did to the runs that were under way: how many waits it ended, and how many runs by their goal. */
export interface ClaimedRuns {
  readonly reArmed: number;
  readonly goals: number;
  /** The sequences in a digest of which it is. */
  readonly gatheredIn: readonly string[];
}

/**
 * What the event means for the contact's active enrollments: it meets their goal, it ends the wait that they stand at, or it gathers in the digest where
 * they stand, in one of each sequence. A wait is claimed once, by the outcome of its step.
 */
export async function claimWaits(tx: EntityManager, contact: ContactRow, event: ArrivedEvent): Promise<ClaimedRuns> {
  const runs = await lockActiveRuns(tx, contact, event.isSandboxed);
  const moved: string[] = [];
  let claimed = 0;
  let goals = 0;
  const gatheredIn: string[] = [];
  for (const run of runs) {
    const graph = await loadGraph(tx, run.sequence_id, run.sequence_version);
    if (graph.goal?.event && (await fits(tx, graph.goal.event, contact, event))) {
      if (await endEnrollment(tx, run.id, 'goal', event.now)) {
        goals++;
        await enrollKept(tx, {
          ...run,
          ...event,
          project_id: contact.project_id,
          sandboxed: event.isSandboxed,
          id: run.id,
          contact,
        });
      }
      moved.push(run.id);
    } else if (await claims(tx, graph, run, contact, event)) {
      await setLatestEvent(tx, run.id, event.id);
      moved.push(run.id);
      claimed++;
    } else if (!gatheredIn.includes(run.sequence_id)) {
      const gathered = await gathers(tx, graph, run, contact, event);
      if (gathered) gatheredIn.push(run.sequence_id);
      if (gathered?.isFull) moved.push(run.id);
    }
  }
  await signalEnrollments(tx, moved);
  return { reArmed: claimed, goals, gatheredIn };
}

async function claims(tx: EntityManager, graph: SequenceGraph, run: ActiveRun, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  const node = run.node_id === null ? undefined : nodeOf(graph, run.node_id);
  const task = node && taskAt(node);
  if (run.step === null || task?.does !== 'wait' || !task.endedBy || !('event' in task.endedBy)) return false;
  if (!(await fits(tx, task.endedBy.event, contact, event))) return false;
  return recordOutcome(tx, run.id, { step: run.step, outcome: 'event', detail: `event ${event.id}` });
}

/** Whether the event gathers where the run stands, and whether the digest has as many with it as it waits for: then the visit has its outcome. */
async function gathers(
  tx: EntityManager,
  graph: SequenceGraph,
  { id: enrollmentId, step, node_id }: ActiveRun,
  contact: ContactRow,
  event: ArrivedEvent,
): Promise<{ readonly isFull: boolean } | undefined> {
  const node = node_id === null ? undefined : nodeOf(graph, node_id);
  if (step === null || node?.kind !== 'digest' || !(await triggers(tx, { graph }, contact, event))) return undefined;
  const { key, max = Number.POSITIVE_INFINITY } = node.config;
  const count = await gatherEvent(tx, { enrollmentId, step }, event.id, key);
  if (count === undefined) return undefined;
  return { isFull: count >= max && (await recordOutcome(tx, enrollmentId, { step, ...digestOutcome(count) })) };
}
