import { sql } from 'kysely';
import type { SequenceGraph, SequenceNode } from '../../domain/sequence/graph.ts';
import { type Arrival, arrive, type EndReason, entryNode, MAX_HOPS, nodeAfter } from '../../domain/sequence/interpret.ts';
import type { EnrollmentCommand, StepReport } from '../../workflows/contracts.ts';
import type { EnrollmentRow, EnrollmentStepRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { endEnrollment } from './enrollments.ts';

export interface Advance {
  readonly enrollmentId: string;
  /** How the last command ended; none on the first call. */
  readonly report: StepReport | undefined;
  readonly now: Date;
  /** The graph of the version that the enrollment runs on. */
  readonly graphOf: (sequenceId: string, version: number) => Promise<SequenceGraph>;
}

type LastStep = Pick<EnrollmentStepRow, 'step' | 'node_id' | 'kind' | 'until' | 'outcome'>;

/**
 * Records how the last command ended, walks on to the next node that takes time, and says what to do there. The trace in the database is
 * the truth: a call that is repeated, replayed or reset finds where the enrollment really stands and gets the same command again.
 */
export async function advanceEnrollment(em: EntityManager, advance: Advance): Promise<EnrollmentCommand> {
  const { enrollmentId, report, now } = advance;
  return em.transactional(async (tx) => {
    const enrollment = await row(tx, sql<EnrollmentRow>`select * from enrollments where id = ${enrollmentId} for update`);
    if (!enrollment) return { do: 'end', reason: 'cancelled' };
    if (enrollment.status !== 'active') return { do: 'end', reason: enrollment.end_reason ?? 'cancelled' };
    if (report) await recordOutcome(tx, enrollmentId, report);
    const last = await row(
      tx,
      sql<LastStep>`select step, node_id, kind, until, outcome from enrollment_steps where enrollment_id = ${enrollmentId} order by step desc limit 1`,
    );
    const graph = await advance.graphOf(enrollment.sequence_id, enrollment.sequence_version);
    if (last && last.outcome === null) return commandFor(nodeOf(graph, last.node_id), last);
    return walkOn(tx, { enrollmentId, graph, last, now });
  });
}

interface Walk {
  readonly enrollmentId: string;
  readonly graph: SequenceGraph;
  readonly last: LastStep | undefined;
  readonly now: Date;
}

async function walkOn(tx: EntityManager, { enrollmentId, graph, last, now }: Walk): Promise<EnrollmentCommand> {
  const finish = async (reason: EndReason): Promise<EnrollmentCommand> => {
    await endEnrollment(tx, enrollmentId, reason, now);
    return { do: 'end', reason };
  };
  let node = last ? nodeAfter(graph, last.node_id, last.outcome ?? '') : entryNode(graph);
  for (let step = (last?.step ?? 0) + 1, hops = 0; ; step++, hops++) {
    if (!node) return finish('dead_end');
    if (hops === MAX_HOPS) return finish('hop_guard');
    const arrival = arrive(node, now);
    await recordArrival(tx, enrollmentId, step, node, arrival, now);
    switch (arrival.does) {
      case 'end':
        return finish(arrival.reason);
      case 'pass':
        node = nodeAfter(graph, node.id, arrival.outcome);
        break;
      case 'send':
        await standAt(tx, enrollmentId, node.id, null, null);
        return { do: 'send', step, nodeId: node.id, template: arrival.template };
      case 'wait':
        await standAt(tx, enrollmentId, node.id, arrival.waitingFor, arrival.until);
        return { do: 'wait', step, nodeId: node.id, waitingFor: arrival.waitingFor, until: arrival.until.getTime() };
      default:
        return arrival satisfies never;
    }
  }
}

/** The command that belongs to a visit without outcome; a wait keeps the instant it was given on arrival. */
function commandFor(node: SequenceNode, { step, until }: LastStep): EnrollmentCommand {
  if (node.kind === 'send_email') return { do: 'send', step, nodeId: node.id, template: node.config.template };
  if (until) return { do: 'wait', step, nodeId: node.id, waitingFor: 'delay', until: until.getTime() };
  throw new Error(`a visit to the ${node.kind} node ${node.id} has no outcome`);
}

function nodeOf(graph: SequenceGraph, nodeId: string): SequenceNode {
  const node = graph.nodes.find(({ id }) => id === nodeId);
  if (!node) throw new Error(`the graph has no node ${nodeId}`);
  return node;
}

/** Only a visit without outcome gets one. */
async function recordOutcome(tx: EntityManager, enrollmentId: string, { step, outcome, detail }: StepReport): Promise<void> {
  await row(
    tx,
    sql`update enrollment_steps set outcome = ${outcome}, detail = ${detail ?? null}
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null`,
  );
}

async function recordArrival(
  tx: EntityManager,
  enrollmentId: string,
  step: number,
  node: SequenceNode,
  arrival: Arrival,
  now: Date,
): Promise<void> {
  const passed = arrival.does === 'pass' ? arrival : undefined;
  const outcome = arrival.does === 'end' ? 'ended' : (passed?.outcome ?? null);
  const until = arrival.does === 'wait' ? arrival.until : null;
  await row(
    tx,
    sql`insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at, until, outcome, detail)
        values (${enrollmentId}, ${step}, ${node.id},
                (select count(*) + 1 from enrollment_steps where enrollment_id = ${enrollmentId} and node_id = ${node.id}),
                ${node.kind}, ${now}, ${until}, ${outcome}, ${passed?.detail ?? null})`,
  );
}

async function standAt(
  tx: EntityManager,
  enrollmentId: string,
  nodeId: string,
  waitingFor: string | null,
  wakesAt: Date | null,
): Promise<void> {
  await row(
    tx,
    sql`update enrollments set current_node_id = ${nodeId}, waiting_for = ${waitingFor}, wakes_at = ${wakesAt} where id = ${enrollmentId}`,
  );
}
