import type { WalkEnd } from './end-reason.ts';
import { type Digest, digestOutcome } from './gathered.ts';
import { entryNode, type SequenceGraph } from './graph.ts';
import { onwardFrom, taskAt } from './interpret.ts';
import type { Task } from './kinds/kind.ts';
import type { NodeKind, SequenceNode } from './kinds/node-kinds.ts';
import type { SendEmailConfig } from './kinds/send-email.ts';
import type { EventPattern } from './schema-parts.ts';
import { type SimulatedEvent, SimulatedWorld, type WorldFacts } from './simulated-world.ts';
import { droppedDetail } from './throttle-rule.ts';
import { MAX_HOPS, MAX_SIMULATED_RUNS, type Stop, walk } from './walk.ts';
import { OverBudget } from './walk-budget.ts';
import { createWalkContext, type WalkContact, type WalkContext, type WalkStart } from './walk-context.ts';

export interface SimulatedStep {
  readonly nodeId: string;
  readonly kind: NodeKind;
  readonly detail: string;
  /** What has gathered at a digest, as the Liquid after it sees it. */
  readonly digest?: Digest;
}

export interface Simulation {
  readonly path: readonly SimulatedStep[];
  /** Template keys, in order. */
  readonly sends: readonly string[];
  readonly endedBy: WalkEnd;
  /** The runs that further events begin, in the order of their starts; absent where there are none. */
  readonly runs?: readonly SimulatedRun[];
}

/** A run that one of several events begins. */
export interface SimulatedRun extends Omit<Simulation, 'runs'> {
  /** When it begins, in ISO 8601. */
  readonly at: string;
}

/** All that a simulation depends on: plain data, so that it can be run in another thread. */
export interface SimulationRequest extends Omit<WalkStart<WalkContact>, 'judge' | 'budget'>, WorldFacts {
  /** The type of the request's event, if it names one; `event` is its payload. */
  readonly eventType: string | undefined;
}

/** Undefined when the graph has no entry node. Waits pass at once; nothing is sent, called or written: docs/contract/sequences.md 31 to 33, 71. */
export function simulate({ eventType, event, ...request }: SimulationRequest): Simulation | undefined {
  if (!entryNode(request.graph)) return undefined;
  const world = new SimulatedWorld(request);
  const given = eventType === undefined ? undefined : { type: eventType, data: event ?? {}, at: request.now.getTime() };
  const begins = given ?? world.nextToEnroll(request.contact);
  const first = runThrough(request, world, { begins, contact: request.contact, event: begins?.data ?? event });
  const runs: SimulatedRun[] = [];
  for (let { contact } = first; runs.length < MAX_SIMULATED_RUNS; ) {
    const next = world.nextToEnroll(contact);
    if (!next) break;
    const run = runThrough(request, world, { begins: next, contact, event: next.data });
    runs.push({ at: new Date(next.at).toISOString(), ...run.simulation });
    contact = run.contact;
  }
  return runs.length > 0 ? { ...first.simulation, runs } : first.simulation;
}

/** What begins a run. */
interface Beginning {
  readonly begins: SimulatedEvent | undefined;
  readonly contact: WalkContact;
  readonly event: SimulationRequest['event'];
}

interface RunThrough {
  readonly simulation: Omit<Simulation, 'runs'>;
  /** As the run has changed it. */
  readonly contact: WalkContact;
}

function runThrough(
  request: Omit<SimulationRequest, 'eventType' | 'event'>,
  world: SimulatedWorld,
  { begins, contact, event }: Beginning,
): RunThrough {
  const { graph } = request;
  const startsAt = begins ? new Date(begins.at) : request.now;
  const context = createWalkContext({ ...request, contact, event, judge: world.judge, budget: world.budget, now: startsAt });
  world.begin(begins, context, event);
  const path: SimulatedStep[] = [];
  const sends: string[] = [];
  const ended = (endedBy: WalkEnd): RunThrough => {
    world.end(endedBy);
    return { simulation: { path, sends, endedBy }, contact: context.contact };
  };
  for (let node: SequenceNode | undefined = entryNode(graph); ; ) {
    const { visits, stop } = walk(graph, node, context, MAX_HOPS - path.length);
    path.push(...visits.map((visit) => ({ nodeId: visit.node.id, kind: visit.node.kind, detail: visit.detail })));
    if (stop.at === 'end') return ended(stop.reason);
    const { id: nodeId, kind } = stop.node;
    try {
      const { outcome, ...step } = visit(stop, context, world, graph, begins?.type);
      path.push({ nodeId, kind, ...step });
      if (outcome === GOAL) return ended('goal');
      if (stop.node.kind === 'send_email' && outcome === 'sent') {
        sends.push(stop.node.config.template);
        context.noteSent(stop.node.config.template);
        world.mails.noteSent(stop.node.config);
      }
      // A wait counts from where the run stands by then: after the waits before it, and after a mail that the frequency cap or a send window held.
      context.moveTo(world.mails.now);
      const onward = onwardFrom(graph, stop.node, outcome);
      if ('ends' in onward) return ended(onward.ends);
      node = onward.to;
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      path.push({ nodeId, kind, detail: error.message });
      return ended('failed');
    }
  }
}

type NodeStop = Extract<Stop, { at: 'node' }>;
type Visited = Omit<SimulatedStep, 'nodeId' | 'kind'> & { readonly outcome: string };

/** The event that meets the goal ends the run where it stands. No outcome is called like that. */
const GOAL = 'meets the goal';

function meets(type: string): Visited {
  return { outcome: GOAL, detail: `the event ${type} arrives and meets the goal` };
}

/** How a node that takes time in a real run ends; the time until then has passed by then. */
function visit(stop: NodeStop, context: Context, world: SimulatedWorld, graph: SequenceGraph, eventType: string | undefined): Visited {
  const { node, arrival } = stop;
  const meetsIt = !world.hasEvents && meetsGoal(stop, context, graph, eventType);
  switch (arrival.does) {
    case 'gather':
      return gather(arrival, node, context, world, meetsIt ? eventType : undefined);
    case 'throttle':
      return pass(arrival.config, node, context, world, () => (isEvent(graph.goal?.event, context, eventType) ? eventType : undefined));
    default:
      return meetsIt ? meets(`${eventType}`) : stand(stop, context, world, eventType);
  }
}

type Context = WalkContext & { readonly contact: WalkContact };
type ArrivalOf<Does extends NodeStop['arrival']['does']> = Extract<NodeStop['arrival'], { does: Does }>;

/** `goalEvent`: the type of the request's event, if it ends the run by its goal while the digest is open. */
function gather(
  arrival: ArrivalOf<'gather'>,
  node: SequenceNode,
  context: Context,
  world: SimulatedWorld,
  goalEvent: string | undefined,
): Visited {
  const { digest, closesAt, goal } = world.gather(arrival);
  if (goalEvent !== undefined && closesAt > world.mails.now.getTime()) return meets(goalEvent);
  world.mails.goTo(closesAt);
  if (goal) return meets(goal.type);
  context.noteDigest(digest);
  world.noteDigest(digest);
  const { outcome, detail } = digestOutcome(digest.count);
  const assumed = context.assumed(node.id);
  const until = new Date(closesAt).toISOString();
  return assumed === undefined
    ? { outcome, detail: `would gather ${detail} until ${until}`, digest }
    : { outcome: assumed, detail: `assumed: ${assumed}`, digest };
}

/** `goalEvent`: the type of the request's event, if it ends the run by its goal while it is delayed. */
function pass(
  config: ArrivalOf<'throttle'>['config'],
  node: SequenceNode,
  context: Context,
  world: SimulatedWorld,
  goalEvent: () => string | undefined,
): Visited {
  const assumed = context.assumed(node.id);
  if (assumed !== undefined) return { outcome: assumed, detail: `assumed: ${assumed}` };
  const passesAt = world.passesAt(node.id, config);
  const isAtOnce = passesAt <= world.mails.now.getTime();
  if (!isAtOnce && config.otherwise === 'drop') return { outcome: 'dropped', detail: `would be dropped: ${droppedDetail(config)}` };
  world.notePass(node.id, passesAt);
  if (isAtOnce) return { outcome: 'passed', detail: 'would pass' };
  const asked = world.hasEvents ? undefined : goalEvent();
  if (asked !== undefined) return meets(asked);
  const goal = world.goalUntil(passesAt);
  world.mails.goTo(goal?.at ?? passesAt);
  if (goal) return meets(goal.type);
  return { outcome: 'passed', detail: `would be delayed until ${new Date(passesAt).toISOString()}: ${droppedDetail(config)}` };
}

function stand({ node, arrival }: NodeStop, context: Context, world: SimulatedWorld, eventType: string | undefined): Visited {
  const { mails } = world;
  const until = arrival.does === 'stand' ? arrival.until : null;
  const passTime = (): void => mails.pass(until ? until.getTime() - mails.now.getTime() : 0);
  const task = arrival.does === 'enter' ? undefined : taskAt(node);
  const assumed = context.assumed(node.id);
  if (world.hasEvents && until && task?.does === 'wait' && (assumed === undefined || assumed === 'event')) {
    const arrived = world.awaited(awaitedEvent(task), until.getTime());
    if (arrived) {
      mails.goTo(arrived.event.at);
      if (arrived.meets === 'goal') return meets(arrived.event.type);
      context.noteEvent(arrived.event.data);
      world.goOnBy(arrived.event);
      return { outcome: 'event', detail: assumed === undefined ? `the event ${arrived.event.type} arrives` : 'assumed: event' };
    }
  }
  if (assumed !== undefined) {
    if (assumed !== 'event') passTime();
    return { outcome: assumed, detail: `assumed: ${assumed}` };
  }
  if (arrival.does === 'enter') {
    return arrival.wait
      ? { outcome: 'waited', detail: `would enroll into ${arrival.sequenceKey} and wait for its end` }
      : { outcome: 'enrolled', detail: `would enroll into ${arrival.sequenceKey}` };
  }
  switch (task?.does) {
    case 'send':
      return mails.fateOf({ config: node.config as SendEmailConfig, contact: context.contact, event: world.event, digest: world.digest });
    case 'call':
      return { outcome: 'called', detail: `would call ${task.method} ${task.url}` };
    case 'wait':
      if (!world.hasEvents && isEvent(awaitedEvent(task), context, eventType))
        return { outcome: 'event', detail: `the event ${eventType} arrives` };
      passTime();
      return { outcome: task.timeoutOutcome, detail: `would wait for ${task.waitingFor} until ${until?.toISOString()}` };
    default:
      throw new Error(`no run stands at the ${node.kind} node ${node.id}`);
  }
}

/** The event that ends a wait. */
function awaitedEvent(task: Task): EventPattern | undefined {
  return task.does === 'wait' && task.endedBy !== null && 'event' in task.endedBy ? task.endedBy.event : undefined;
}

/**
 * Whether the event of the request ends the run by its goal while it waits here, as it does before it ends the wait: docs/contract/sequences.md 26. It
 * does not come at a wait that is assumed to end otherwise.
 */
function meetsGoal({ node, arrival }: NodeStop, context: WalkContext, { goal }: SequenceGraph, eventType: string | undefined): boolean {
  const assumed = context.assumed(node.id);
  const waits = arrival.does === 'gather' || (arrival.does === 'stand' && taskAt(node).does === 'wait');
  return waits && (assumed === undefined || assumed === 'event') && isEvent(goal?.event, context, eventType);
}

function isEvent(pattern: EventPattern | undefined, { around }: WalkContext, eventType: string | undefined): boolean {
  return pattern !== undefined && pattern.type === eventType && (pattern.match === undefined || around.holds(pattern.match));
}
