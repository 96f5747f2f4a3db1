import { sql } from 'kysely';
import type { Condition } from '../../domain/condition/condition.ts';
import { nodeOf, type SequenceGraph } from '../../domain/sequence/graph.ts';
import { taskAt } from '../../domain/sequence/interpret.ts';
import type { EventPattern } from '../../domain/sequence/schema-parts.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRows, row } from '../rows.ts';
import { judgeFor } from './condition-facts.ts';
import { recordOutcome } from './enrollment-steps.ts';
import { endEnrollment, wakeEnrollments } from './enrollments.ts';
import { IS_OVER } from './is-over.ts';
import { loadGraph, type SequenceWithGraph } from './sequences.ts';

/** An event on its way through the transaction that accepts it. */
export interface ArrivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

interface ActiveRun {
  readonly id: string;
  readonly sequence_id: string;
  readonly sequence_version: number;
  readonly step: number | null;
  readonly node_id: string | null;
}

/**
 * What the event means for the contact's active enrollments: it meets their goal, or it ends the wait that they stand at. A wait is
 * claimed once, by the outcome of its step. Returns how many waits were claimed.
 */
export async function claimWaits(tx: EntityManager, contact: ContactRow, event: ArrivedEvent): Promise<number> {
  const runs = await hotRows(
    tx,
    sql<ActiveRun>`
      select e.id, e.sequence_id, e.sequence_version, st.step, st.node_id
      from enrollments e join sequences s on s.id = e.sequence_id
      left join enrollment_steps st on st.enrollment_id = e.id and st.outcome is null
      where e.contact_id = ${contact.id} and e.project_id = ${contact.project_id} and e.status = 'active' and not ${IS_OVER} order by e.id for update of e`,
  );
  const moved: string[] = [];
  let claimed = 0;
  for (const run of runs) {
    const graph = await loadGraph(tx, run.sequence_id, run.sequence_version);
    if (graph.goal?.event && (await fits(tx, graph.goal.event, contact, event))) {
      await endEnrollment(tx, run.id, 'goal', event.now);
      moved.push(run.id);
    } else if (await claims(tx, graph, run, contact, event)) {
      await row(tx, sql`update enrollments set event_id = ${event.id} where id = ${run.id}`);
      moved.push(run.id);
      claimed++;
    }
  }
  await wakeEnrollments(tx, moved);
  return claimed;
}

/** Whether an enabled trigger of the sequence is for this very event. */
export async function triggers(
  tx: EntityManager,
  { graph }: SequenceWithGraph,
  contact: ContactRow,
  event: ArrivedEvent,
): Promise<boolean> {
  for (const { enabled, config } of graph.triggers) if (enabled && (await fits(tx, config, contact, event))) return true;
  return false;
}

async function claims(tx: EntityManager, graph: SequenceGraph, run: ActiveRun, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  const node = run.node_id === null ? undefined : nodeOf(graph, run.node_id);
  const task = node && taskAt(node);
  if (run.step === null || task?.does !== 'wait' || !task.endedBy || !('event' in task.endedBy)) return false;
  if (!(await fits(tx, task.endedBy.event, contact, event))) return false;
  return recordOutcome(tx, run.id, { step: run.step, outcome: 'event', detail: `event ${event.id}` });
}

async function fits(tx: EntityManager, { type, match }: EventPattern, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  if (type !== event.type) return false;
  return match === undefined || holds(tx, match, contact, event);
}

async function holds(tx: EntityManager, condition: Condition, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  const judge = await judgeFor(tx, {
    projectId: contact.project_id,
    contactId: contact.id,
    conditions: [condition],
    event: event.data,
    now: event.now,
  });
  return judge(contact, condition);
}
