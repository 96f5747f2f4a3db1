import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { signalEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { recordOutcome } from '../../db/queries/sequences/enrollment-steps.ts';
import { type ActiveRun, lockActiveRuns, setLatestEvent } from '../../db/queries/sequences/event-waits.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import { nodeOf, type SequenceGraph } from '../../domain/sequences/graph.ts';
import { taskAt } from '../../domain/sequences/interpret.ts';
import { endEnrollment } from './end-enrollment.ts';
import { type ArrivedEvent, fits } from './match-event.ts';

/** What an event did to the runs that were under way: how many waits it ended, and how many runs by their goal. */
export interface ClaimedRuns {
  readonly reArmed: number;
  readonly goals: number;
}

/**
 * What the event means for the contact's active enrollments: it meets their goal, or it ends the wait that they stand at. A wait is
 * claimed once, by the outcome of its step.
 */
export async function claimWaits(tx: EntityManager, contact: ContactRow, event: ArrivedEvent): Promise<ClaimedRuns> {
  const runs = await lockActiveRuns(tx, contact, event.isSandboxed);
  const moved: string[] = [];
  let claimed = 0;
  let goals = 0;
  for (const run of runs) {
    const graph = await loadGraph(tx, run.sequence_id, run.sequence_version);
    if (graph.goal?.event && (await fits(tx, graph.goal.event, contact, event))) {
      if (await endEnrollment(tx, run.id, 'goal', event.now)) goals++;
      moved.push(run.id);
    } else if (await claims(tx, graph, run, contact, event)) {
      await setLatestEvent(tx, run.id, event.id);
      moved.push(run.id);
      claimed++;
    }
  }
  await signalEnrollments(tx, moved);
  return { reArmed: claimed, goals };
}

async function claims(tx: EntityManager, graph: SequenceGraph, run: ActiveRun, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  const node = run.node_id === null ? undefined : nodeOf(graph, run.node_id);
  const task = node && taskAt(node);
  if (run.step === null || task?.does !== 'wait' || !task.endedBy || !('event' in task.endedBy)) return false;
  if (!(await fits(tx, task.endedBy.event, contact, event))) return false;
  return recordOutcome(tx, run.id, { step: run.step, outcome: 'event', detail: `event ${event.id}` });
}
