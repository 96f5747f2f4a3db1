import { openDigest } from '../../db/queries/sequences/digests.ts';
import { keepPass, latestPasses } from '../../db/queries/sequences/throttle-passes.ts';
import { digestOutcome } from '../../domain/sequences/gathered.ts';
import { triggerTypes } from '../../domain/sequences/graph.ts';
import type { SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { droppedDetail, passesAt } from '../../domain/sequences/throttle-rule.ts';
import type { Stop } from '../../domain/sequences/walk.ts';
import { enterSubflow } from './enter-subflow.ts';
import type { LockedRun } from './locked-run.ts';

/** What comes of an arrival at a node that may take time: the run stands there, perhaps until an instant, or it goes on at once. */
export type Stood = { readonly until: Date | null } | { readonly outcome: string; readonly detail: string };

type NodeStop = Extract<Stop, { at: 'node' }>;
type ArrivalOf<Does extends NodeStop['arrival']['does']> = Extract<NodeStop['arrival'], { does: Does }>;

/** Does what an arrival is for. `step`: of the visit that it will be. */
export async function standAtNode(run: LockedRun, { node, arrival }: NodeStop, step: number): Promise<Stood> {
  switch (arrival.does) {
    case 'stand':
      return { until: arrival.until };
    case 'enter':
      return enter(run, arrival, step);
    case 'gather':
      return gather(run, arrival, step);
    case 'throttle':
      return pass(run, node, arrival, step);
    default:
      return arrival satisfies never;
  }
}

async function enter({ tx, enrollment, context, advance }: LockedRun, arrival: ArrivalOf<'enter'>, step: number): Promise<Stood> {
  const entered = await enterSubflow(tx, { ...advance, parent: enrollment, contact: context.contact, step, ...arrival });
  return entered.waits ? { until: null } : { outcome: entered.outcome, detail: entered.detail };
}

/** The digest opens with what has come already, which may be as much as it waits for. */
async function gather(
  { tx, enrollment, graph, advance }: LockedRun,
  { until, key: path, max }: ArrivalOf<'gather'>,
  step: number,
): Promise<Stood> {
  const { id: enrollmentId, sandboxed: isSandboxed } = enrollment;
  const reentersAlways = graph.reentry === 'always';
  const count = await openDigest(tx, { enrollmentId, step }, { types: triggerTypes(graph), path, max, isSandboxed, reentersAlways });
  const isFull = max !== undefined && count >= max;
  return isFull || until.getTime() <= advance.now.getTime() ? digestOutcome(count) : { until };
}

/**
 * The contact's row is locked, so that of several runs each finds what those before it have. One that waits has its instant from here on, so that it
 * passes in the order in which it came.
 */
async function pass(
  { tx, enrollment, advance }: LockedRun,
  node: SequenceNode,
  { config }: ArrivalOf<'throttle'>,
  step: number,
): Promise<Stood> {
  const { id: enrollment_id, project_id, contact_id, sequence_id, sandboxed } = enrollment;
  const throttled = { contact_id, sequence_id, node_id: node.id, sandboxed };
  const latest = await latestPasses(tx, throttled, config.count);
  const instants = latest.at.map((at) => at.getTime());
  const at = passesAt(config, instants, latest.now.getTime());
  const waitMs = at - latest.now.getTime();
  if (waitMs > 0 && config.otherwise === 'drop') return { outcome: 'dropped', detail: droppedDetail(config) };
  await keepPass(tx, { ...throttled, enrollment_id, step, project_id, at: new Date(at) });
  // The workflow's clock, by which it waits, is that of who asks.
  return waitMs > 0 ? { until: new Date(advance.now.getTime() + waitMs) } : { outcome: 'passed', detail: 'passed at once' };
}
