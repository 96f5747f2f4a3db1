import { badDataMessage } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { digestBefore, gatheredAt } from '../../db/queries/sequences/digests.ts';
import { failVisit, recordOutcome, type TraceEntry, writeTrace } from '../../db/queries/sequences/enrollment-steps.ts';
import { type LastStep, type LockedEnrollment, lockEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import { recordFinished } from '../../db/queries/sequences/moved-runs.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import { awaitedSubflow } from '../../db/queries/sequences/subflows.ts';
import { type EndReason, endStatus } from '../../domain/sequences/end-reason.ts';
import { digestOutcome } from '../../domain/sequences/gathered.ts';
import { entryNode, nodeOf, watchesContact } from '../../domain/sequences/graph.ts';
import { onwardFrom, taskAt } from '../../domain/sequences/interpret.ts';
import type { SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { RESTED } from '../../domain/sequences/pace.ts';
import { MAX_HOPS, MAX_STEPS, walk } from '../../domain/sequences/walk.ts';
import { OverBudget } from '../../domain/sequences/walk-budget.ts';
import { shownWords } from '../../domain/shown-text.ts';
import { storable } from '../../domain/storable-text.ts';
import type { EnrollmentCommand, StepReport } from '../../workflows/contracts.ts';
import { commandAt } from './command-at.ts';
import { endEnrollment } from './end-enrollment.ts';
import { enrollKept } from './enroll-kept.ts';
import { enrollmentContext } from './enrollment-context.ts';
import type { Advance, LockedRun, StandingRun } from './locked-run.ts';
import { restBeforePass } from './slow-run.ts';
import { standAtNode } from './stand-at.ts';

/**
 * Records how the last command ended, walks on to the next node that takes time, and says what to do there. The trace in the database is
 * the truth: a call that is repeated, replayed or reset finds where the enrollment really stands and gets the same command again.
 */
export async function advanceEnrollment(em: EntityManager, advance: Advance): Promise<EnrollmentCommand> {
  try {
    return await advanceOnce(em, advance);
  } catch (error) {
    const problem = badDataMessage(error);
    if (problem === undefined) throw error;
    return failEnrollment(em, advance, `could not be stored: ${problem}`);
  }
}

async function advanceOnce(em: EntityManager, advance: Advance): Promise<EnrollmentCommand> {
  const { enrollmentId, now } = advance;
  const report = advance.report && withStorableDetail(advance.report);
  return em.transactional(async (tx) => {
    const enrollment = await lockEnrollment(tx, enrollmentId);
    if (!enrollment) return GONE;
    if (enrollment.status !== 'active') {
      // Cancelled while its mail or call was in flight: the outcome of that is recorded all the same.
      if (report && !(await recordOutcome(tx, enrollmentId, report))) await recordFinished(tx, enrollmentId, report);
      return ended(enrollment);
    }
    // Moved meanwhile, likewise.
    if (report && enrollment.last && report.step < enrollment.last.step) await recordFinished(tx, enrollmentId, report);
    const graph = await loadGraph(tx, enrollment.sequence_id, enrollment.sequence_version);
    const context = await enrollmentContext(tx, enrollment, graph, now);
    const run = { tx, enrollment, graph, context, advance, reported: reportedOn(enrollment, report) };
    // Entered while the sequence was being archived: it was not among those that archiving ended.
    if (enrollment.sequence_status === 'archived') return end(run, 'archived');
    try {
      return await continueRun(run);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      return failStep(run, error.message);
    }
  });
}

/** A report that came twice, or about a visit that has its outcome from elsewhere, changes nothing. */
function reportedOn({ last }: LockedEnrollment, report: StepReport | undefined): StepReport | undefined {
  return report && report.outcome !== RESTED && last?.step === report.step && last.outcome === null ? report : undefined;
}

async function continueRun(asked: LockedRun): Promise<EnrollmentCommand> {
  const run = await withGathered(asked);
  const { enrollment, graph, context, reported } = run;
  const { last } = enrollment;
  if (!last) return walkFrom(run, entryNode(graph), 0);
  if (context.goalHolds()) return end(run, 'goal');
  const node = nodeOf(graph, last.node_id);
  if (!node) return failStep(run, `the graph has no node ${last.node_id}`);
  const outcome = last.outcome ?? reported?.outcome ?? (await outcomeByChange(run, node, last));
  if (outcome === undefined) return commandAt(run, node, last);
  const onward = onwardFrom(graph, node, outcome);
  if ('ends' in onward) return end(run, onward.ends);
  return (await restBeforePass(run, node, last)) ?? walkFrom(run, onward.to, last.step);
}

/** The time of a digest is over: what has gathered says how the visit ends. */
async function withGathered(run: LockedRun): Promise<LockedRun> {
  const { tx, enrollment, graph, reported } = run;
  if (!reported || !enrollment.last || nodeOf(graph, enrollment.last.node_id)?.kind !== 'digest') return run;
  const count = await gatheredAt(tx, { enrollmentId: enrollment.id, step: reported.step });
  return { ...run, reported: { ...reported, ...digestOutcome(count) } };
}

/** What nodes that write to the contact see of it. */
async function noteDigest({ tx, enrollment, graph, context }: LockedRun, step: number): Promise<void> {
  if (!graph.nodes.some(({ kind }) => kind === 'update_contact')) return;
  const digest = await digestBefore(tx, { enrollmentId: enrollment.id, step });
  if (digest) context.noteDigest(digest);
}

/** A wait may be over because something changed: its condition holds now, or the other sequence has ended. */
async function outcomeByChange(
  { tx, enrollment, context }: LockedRun,
  node: SequenceNode,
  { step }: LastStep,
): Promise<string | undefined> {
  const task = taskAt(node);
  if (task.does !== 'wait' || !task.endedBy) return undefined;
  let outcome: string | undefined;
  if ('condition' in task.endedBy && context.around.holds(task.endedBy.condition)) outcome = 'met';
  if ('sequenceKey' in task.endedBy && !(await awaitedSubflow(tx, enrollment.id, step))) outcome = task.timeoutOutcome;
  if (outcome) await recordOutcome(tx, enrollment.id, { step, outcome });
  return outcome;
}

/** Has a run go on at a node as if it had just got there. What comes of that stands in its trace, and its workflow asks for it. */
export async function arriveAt(run: LockedRun, node: SequenceNode): Promise<void> {
  try {
    await walkFrom(run, node, run.enrollment.last?.step ?? 0);
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    await failStep(run, error.message);
  }
}

async function walkFrom(run: LockedRun, start: SequenceNode | undefined, lastStep: number): Promise<EnrollmentCommand> {
  const { enrollment, graph, context } = run;
  const visits: TraceEntry[] = [];
  const visited = (entry: Omit<TraceEntry, 'step'>): number => visits.push({ ...entry, step: lastStep + visits.length + 1 });
  let node = start;
  if (enrollment.has_gathered) await noteDigest(run, lastStep + 1);
  for (;;) {
    const { visits: passed, stop } = walk(graph, node, context, mostVisits(enrollment.hops, lastStep) - visits.length);
    await context.save();
    for (const { node, outcome, detail } of passed) visited({ node, until: null, outcome, detail });
    if (stop.at === 'end') return endAfter(run, visits, stop.reason);
    const stood = await standAtNode(run, stop, lastStep + visits.length + 1);
    if ('until' in stood) {
      visited({ node: stop.node, until: stood.until, outcome: null, detail: null });
      return standAt(run, stop.node, visits);
    }
    visited({ node: stop.node, until: null, ...stood });
    if (stop.arrival.does === 'gather') await noteDigest(run, lastStep + visits.length + 1);
    const onward = onwardFrom(graph, stop.node, stood.outcome);
    if ('ends' in onward) return endAfter(run, visits, onward.ends);
    node = onward.to;
  }
}

/** How many nodes a run may still visit before it waits again. */
function mostVisits(hops: number, lastStep: number): number {
  return Math.min(MAX_HOPS - hops, MAX_STEPS - lastStep);
}

/** The last of the visits is at a node that takes time. */
async function standAt(run: LockedRun, node: SequenceNode, visits: readonly TraceEntry[]): Promise<EnrollmentCommand> {
  const { enrollment, graph } = run;
  const { step, until } = visits.at(-1)!;
  const task = taskAt(node);
  const waitingFor = task.does === 'wait' ? task.waitingFor : null;
  const watches = (task.does === 'wait' && task.endedBy !== null && 'condition' in task.endedBy) || watchesContact(graph);
  const hops = waitingFor === null ? enrollment.hops + visits.length : 0;
  await writeTrace(run.tx, run.enrollment.id, {
    reported: run.reported,
    visits,
    stands: { waitingFor, until, watches, hops },
    now: run.advance.now,
  });
  return commandAt(run, node, { step, until });
}

async function endAfter(run: LockedRun, visits: readonly TraceEntry[], reason: EndReason): Promise<EnrollmentCommand> {
  await writeTrace(run.tx, run.enrollment.id, { reported: run.reported, visits, now: run.advance.now });
  return endRun(run, reason);
}

async function end(run: StandingRun, reason: EndReason): Promise<EnrollmentCommand> {
  if (run.reported) await writeTrace(run.tx, run.enrollment.id, { reported: run.reported, visits: [], now: run.advance.now });
  return endRun(run, reason);
}

/** The run cannot go on from where it stands, and no later try could do better: the reason is added to the step there. */
async function failStep(run: StandingRun, reason: string): Promise<EnrollmentCommand> {
  const { tx, enrollment, graph, reported } = run;
  const { last } = enrollment;
  const entry = entryNode(graph);
  if (last) await failVisit(tx, enrollment.id, last.step, { reported, reason });
  else if (entry)
    await writeTrace(tx, enrollment.id, {
      reported,
      visits: [{ node: entry, step: 1, until: null, outcome: 'failed', detail: reason }],
      now: run.advance.now,
    });
  return endRun(run, 'failed', shownWords(reason));
}

/** Ends a run that its data does not let go on: without an outcome its workflow would ask for ever. */
async function failEnrollment(em: EntityManager, advance: Advance, detail: string): Promise<EnrollmentCommand> {
  return em.transactional(async (tx) => {
    const enrollment = await lockEnrollment(tx, advance.enrollmentId);
    if (!enrollment) return GONE;
    if (enrollment.status !== 'active') return ended(enrollment);
    const graph = await loadGraph(tx, enrollment.sequence_id, enrollment.sequence_version);
    const report = advance.report && withStorableDetail(advance.report);
    return failStep({ tx, enrollment, graph, advance, reported: reportedOn(enrollment, report) }, storable(detail));
  });
}

function withStorableDetail({ detail, ...report }: StepReport): StepReport {
  return detail === undefined ? report : { ...report, detail: storable(detail) };
}

async function endRun({ tx, enrollment, advance }: StandingRun, reason: EndReason, detail?: string): Promise<EnrollmentCommand> {
  await endEnrollment(tx, enrollment.id, reason, advance.now);
  if (endStatus(reason) === 'completed') await enrollKept(tx, { ...enrollment, newId: advance.newId });
  return { do: 'end', reason, status: endStatus(reason), ...(detail === undefined ? {} : { detail }) };
}

const GONE: EnrollmentCommand = { do: 'end', reason: 'cancelled', status: 'cancelled' };

function ended({ status, end_reason }: LockedEnrollment): EnrollmentCommand {
  return { do: 'end', reason: end_reason ?? 'cancelled', status };
}
