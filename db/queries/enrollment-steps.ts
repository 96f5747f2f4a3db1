import { sql } from 'kysely';
import { type SequenceGraph, type SequenceNode, watchesContact } from '../../domain/sequence/graph.ts';
import { type EndReason, entryNode, nodeAfter, nodeOf, waitOf } from '../../domain/sequence/interpret.ts';
import { type Stop, walk } from '../../domain/sequence/walk.ts';
import type { EnrollmentCommand, StepReport } from '../../workflows/contracts.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow } from '../rows.ts';
import { endEnrollment } from './enrollments.ts';
import { type LastStep, type LockedEnrollment, lockEnrollment } from './locked-enrollment.ts';
import { readGraph } from './sequences.ts';
import { enterSubflow, subflowEnded } from './subflows.ts';
import { type EnrolledTraveller, travellerFor } from './traveller.ts';

export interface Advance {
  readonly enrollmentId: string;
  /** How the last command ended; none on the first call, and none when something may have changed meanwhile. */
  readonly report: StepReport | undefined;
  readonly now: Date;
  readonly newId: () => string;
  /** The first pause of a webhook node: decisions.md 7.5. */
  readonly firstRetrySeconds: number;
}

/** How a visit that takes no time ended. */
interface Done {
  readonly outcome: string;
  readonly detail: string;
}

/**
 * Records how the last command ended, walks on to the next node that takes time, and says what to do there. The trace in the database is
 * the truth: a call that is repeated, replayed or reset finds where the enrollment really stands and gets the same command again.
 */
export async function advanceEnrollment(em: EntityManager, advance: Advance): Promise<EnrollmentCommand> {
  const { enrollmentId, report, now } = advance;
  return em.transactional(async (tx) => {
    const enrollment = await lockEnrollment(tx, enrollmentId);
    if (!enrollment) return { do: 'end', reason: 'cancelled' };
    if (enrollment.status !== 'active') {
      // Cancelled while its mail or call was in hand: what became of that is told all the same.
      if (report) await recordOutcome(tx, enrollmentId, report);
      return { do: 'end', reason: enrollment.end_reason ?? 'cancelled' };
    }
    // Entered while the sequence was being archived: it was not among those that archiving ended.
    const graph = await readGraph(tx, enrollment.sequence_id, enrollment.sequence_version);
    const traveller = await travellerFor(tx, enrollment, graph, now);
    const look = { tx, enrollment, graph, traveller, advance, reported: reportedOn(enrollment, report) };
    return enrollment.sequence_status === 'archived' ? end(look, 'archived') : goOn(look);
  });
}

/** One look at an enrollment, within one transaction. */
interface Look {
  readonly tx: EntityManager;
  readonly enrollment: LockedEnrollment;
  readonly graph: SequenceGraph;
  readonly traveller: EnrolledTraveller;
  readonly advance: Advance;
  /** How the visit ended at which the run stands; it is written with the visits that follow. */
  readonly reported: StepReport | undefined;
}

/** A report that came twice, or about a visit that somebody else has ended, changes nothing. */
function reportedOn({ last }: LockedEnrollment, report: StepReport | undefined): StepReport | undefined {
  return report && last?.step === report.step && last.outcome === null ? report : undefined;
}

async function goOn(look: Look): Promise<EnrollmentCommand> {
  const { enrollment, graph, traveller, reported } = look;
  const { last } = enrollment;
  if (!last) return walkFrom(look, entryNode(graph), 0);
  if (traveller.goalHolds()) return end(look, 'goal');
  const node = nodeOf(graph, last.node_id);
  if (!node) throw new Error(`the graph has no node ${last.node_id}`);
  const outcome = last.outcome ?? reported?.outcome ?? (await outcomeByChange(look, node, last));
  if (outcome === undefined) return commandAt(node, last, look.advance);
  if (node.kind === 'webhook' && node.config.onError === 'fail' && outcome === 'failed') return end(look, 'failed');
  return walkFrom(look, nodeAfter(graph, node.id, outcome), last.step);
}

/** A wait may be over because something changed: its condition holds now, or the other sequence has ended. */
async function outcomeByChange({ tx, enrollment, traveller }: Look, node: SequenceNode, { step }: LastStep): Promise<string | undefined> {
  let outcome: string | undefined;
  if (node.kind === 'wait_until' && 'condition' in node.config && traveller.around.holds(node.config.condition)) outcome = 'met';
  if (node.kind === 'subflow' && (await subflowEnded(tx, enrollment.id, step))) outcome = 'waited';
  if (outcome) await recordOutcome(tx, enrollment.id, { step, outcome });
  return outcome;
}

async function walkFrom(look: Look, start: SequenceNode | undefined, lastStep: number): Promise<EnrollmentCommand> {
  const { enrollment, graph, traveller } = look;
  let node = start;
  let step = lastStep;
  let hops = enrollment.hops;
  for (;;) {
    const { visits, stop } = walk(graph, node, traveller, hops);
    await traveller.save();
    const passedBy = visits.map<TraceEntry>(({ node, outcome, detail }) => ({ node, step: ++step, until: null, outcome, detail }));
    hops += visits.length;
    if (stop.at === 'end') {
      await writeTrace(look, { visits: passedBy });
      return endRun(look, stop.reason);
    }
    hops += 1;
    const passed = await stopAt(look, stop, ++step, hops, passedBy);
    if ('do' in passed) return passed;
    node = nodeAfter(graph, stop.node.id, passed.outcome);
  }
}

/** Stands at a node that takes time. Another sequence that is not waited for takes none: the walk goes on. */
async function stopAt(
  look: Look,
  { node, arrival }: Extract<Stop, { at: 'node' }>,
  step: number,
  hops: number,
  passedBy: readonly TraceEntry[],
): Promise<EnrollmentCommand | Done> {
  const { tx, enrollment, graph, advance } = look;
  const entered = arrival.does === 'enter' ? await enterSubflow(tx, { ...advance, parent: enrollment, step, ...arrival }) : undefined;
  const until = arrival.does === 'wait' ? arrival.until : null;
  const done = entered && !entered.waits ? entered : undefined;
  const visits = [...passedBy, { node, step, until, outcome: done?.outcome ?? null, detail: done?.detail ?? null }];
  if (done) {
    await writeTrace(look, { visits });
    return done;
  }
  const waitingFor = arrival.does === 'wait' ? arrival.waitingFor : arrival.does === 'enter' ? 'subflow' : null;
  const watches = waitingFor === 'condition' || watchesContact(graph);
  await writeTrace(look, { visits, stands: { waitingFor, until, watches, hops: waitingFor === null ? hops : 0 } });
  return commandAt(node, { step, until }, advance);
}

async function end(look: Look, reason: EndReason): Promise<EnrollmentCommand> {
  if (look.reported) await writeTrace(look, { visits: [] });
  return endRun(look, reason);
}

async function endRun({ tx, enrollment, advance }: Look, reason: EndReason): Promise<EnrollmentCommand> {
  await endEnrollment(tx, enrollment.id, reason, advance.now);
  return { do: 'end', reason };
}

/** The command that belongs to a visit without outcome; a wait keeps the instant that it was given on arrival. */
function commandAt(
  node: SequenceNode,
  { step, until }: Pick<LastStep, 'step' | 'until'>,
  { firstRetrySeconds }: Advance,
): EnrollmentCommand {
  const at = { step, nodeId: node.id };
  switch (node.kind) {
    case 'send_email':
      return { do: 'send', ...at, template: node.config.template };
    case 'webhook':
      return { do: 'call', ...at, method: node.config.method ?? 'POST', host: new URL(node.config.url).host, firstRetrySeconds };
    case 'subflow':
      return { do: 'wait', ...at, waitingFor: `subflow ${node.config.sequenceKey}`, until: null, timeoutOutcome: 'waited' };
    case 'wait_delay':
    case 'wait_until':
      return { do: 'wait', ...at, ...waitOf(node), until: until?.getTime() ?? null };
    case 'trigger':
    case 'branch':
    case 'split':
    case 'update_contact':
    case 'goal':
    case 'exit':
      throw new Error(`a visit to the ${node.kind} node ${node.id} has no outcome`);
    default:
      return node satisfies never;
  }
}

/** Only a visit without outcome gets one: of an event and a timeout one wins. Returns whether this call was the one. */
export async function recordOutcome(tx: EntityManager, enrollmentId: string, { step, outcome, detail }: StepReport): Promise<boolean> {
  const recorded = await hotRow(
    tx,
    sql`update enrollment_steps set outcome = ${outcome}, detail = ${detail ?? null}
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null returning 1 as recorded`,
  );
  return recorded !== undefined;
}

/** One row of the trace to be. */
interface TraceEntry {
  readonly node: SequenceNode;
  readonly step: number;
  readonly until: Date | null;
  readonly outcome: string | null;
  readonly detail: string | null;
}

interface Trace {
  readonly visits: readonly TraceEntry[];
  /** What the last of them waits for; absent when the walk goes on, or ends. */
  readonly stands?: { readonly waitingFor: string | null; readonly until: Date | null; readonly watches: boolean; readonly hops: number };
}

/** How the last visit ended, the visits after it and where the run stands now, in one statement; `visit` counts those to a node over the whole run. */
async function writeTrace({ tx, enrollment, advance, reported }: Look, { visits, stands }: Trace): Promise<void> {
  const before = new Map<string, number>();
  const records = visits.map(({ node, ...entry }) => {
    const again = (before.get(node.id) ?? 0) + 1;
    before.set(node.id, again);
    return { ...entry, node_id: node.id, kind: node.kind, again };
  });
  await hotRow(
    tx,
    sql`
      with reported as (
        update enrollment_steps set outcome = ${reported?.outcome ?? null}, detail = ${reported?.detail ?? null}
        where enrollment_id = ${enrollment.id} and step = ${reported?.step ?? null}::integer and outcome is null
      ), visited as (
        insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at, until, outcome, detail)
        select ${enrollment.id}, r.step, r.node_id,
               r.again + (select count(*) from enrollment_steps s where s.enrollment_id = ${enrollment.id} and s.node_id = r.node_id),
               r.kind, ${advance.now}, r.until, r.outcome, r.detail
        from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
          as r(step integer, node_id text, again integer, kind text, until timestamptz, outcome text, detail text)
      )
      update enrollments set current_node_id = coalesce(${visits.at(-1)?.node.id ?? null}, current_node_id),
        waiting_for = case when ${stands !== undefined} then ${stands?.waitingFor ?? null} else waiting_for end,
        wakes_at = case when ${stands !== undefined} then ${stands?.until ?? null}::timestamptz else wakes_at end,
        watches_contact = case when ${stands !== undefined} then ${stands?.watches ?? false} else watches_contact end,
        hops = case when ${stands !== undefined} then ${stands?.hops ?? 0}::integer else hops end
      where id = ${enrollment.id}`,
  );
}
