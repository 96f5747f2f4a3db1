import { createJudge, type LookedUpFacts } from '../conditions/judge.ts';
import type { WalkEnd } from './end-reason.ts';
import { entryNode, type SequenceGraph } from './graph.ts';
import { onwardFrom, taskAt } from './interpret.ts';
import type { Task } from './kinds/kind.ts';
import type { NodeKind, SequenceNode } from './kinds/node-kinds.ts';
import type { SendEmailConfig } from './kinds/send-email.ts';
import type { EventPattern } from './schema-parts.ts';
import { type MailFacts, SimulatedMails } from './simulated-mails.ts';
import { MAX_HOPS, type Stop, walk } from './walk.ts';
import { OverBudget, SIMULATION_LIMITS, WalkBudget } from './walk-budget.ts';
import { createWalkContext, type WalkContact, type WalkContext, type WalkStart } from './walk-context.ts';

export interface SimulatedStep {
  readonly nodeId: string;
  readonly kind: NodeKind;
  readonly detail: string;
}

export interface Simulation {
  readonly path: readonly SimulatedStep[];
  /** Template keys, in order. */
  readonly sends: readonly string[];
  readonly endedBy: WalkEnd;
}

/** All that a simulation depends on: plain data, so that it can be run in another thread. */
export interface SimulationRequest extends Omit<WalkStart<WalkContact>, 'judge' | 'budget'> {
  readonly facts: LookedUpFacts;
  readonly mails: MailFacts;
  /** The type of the request's event, if it names one; `event` is its payload. */
  readonly eventType: string | undefined;
}

/** Undefined when the graph has no entry node. Waits pass at once; nothing is sent, called or written: docs/contract/sequences.md 31 to 33. */
export function simulate({ facts, mails: mailFacts, eventType, ...start }: SimulationRequest): Simulation | undefined {
  const { graph, event, now } = start;
  const mails = new SimulatedMails(mailFacts, graph, now);
  const context = createWalkContext({ ...start, judge: createJudge(facts, event), budget: new WalkBudget(SIMULATION_LIMITS) });
  const entry = entryNode(graph);
  if (!entry) return undefined;
  const path: SimulatedStep[] = [];
  const sends: string[] = [];
  const ended = (endedBy: WalkEnd): Simulation => ({ path, sends, endedBy });
  for (let node: SequenceNode | undefined = entry; ; ) {
    const { visits, stop } = walk(graph, node, context, MAX_HOPS - path.length);
    path.push(...visits.map((visit) => ({ nodeId: visit.node.id, kind: visit.node.kind, detail: visit.detail })));
    if (stop.at === 'end') return ended(stop.reason);
    const { id: nodeId, kind } = stop.node;
    try {
      if (meetsGoal(stop, context, graph, eventType)) {
        path.push({ nodeId, kind, detail: `the event ${eventType} arrives and meets the goal` });
        return ended('goal');
      }
      const { outcome, detail } = outcomeAt(stop, context, { eventType, event, mails });
      if (stop.node.kind === 'send_email' && outcome === 'sent') {
        sends.push(stop.node.config.template);
        context.noteSent(stop.node.config.template);
        mails.noteSent(stop.node.config);
      }
      const { arrival } = stop;
      if (arrival.does === 'stand' && arrival.until && outcome !== 'event') mails.pass(arrival.until.getTime() - mails.now.getTime());
      // A wait counts from where the run stands by then: after the waits before it, and after a mail that the frequency cap or a send window held.
      context.moveTo(mails.now);
      path.push({ nodeId, kind, detail });
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

/** What a step of a simulation depends on beside its walk. */
interface Imagined {
  readonly eventType: string | undefined;
  readonly event: SimulationRequest['event'];
  readonly mails: SimulatedMails;
}

type NodeStop = Extract<Stop, { at: 'node' }>;

/** How a node that takes time in a real run ends. */
function outcomeAt(
  { node, arrival }: NodeStop,
  context: WalkContext & { readonly contact: WalkContact },
  { eventType, event, mails }: Imagined,
): { readonly outcome: string; readonly detail: string } {
  const assumed = context.assumed(node.id);
  if (assumed !== undefined) return { outcome: assumed, detail: `assumed: ${assumed}` };
  if (arrival.does === 'enter') {
    return arrival.wait
      ? { outcome: 'waited', detail: `would enroll into ${arrival.sequenceKey} and wait for its end` }
      : { outcome: 'enrolled', detail: `would enroll into ${arrival.sequenceKey}` };
  }
  const task = taskAt(node);
  switch (task.does) {
    case 'send':
      return mails.fateOf({ config: node.config as SendEmailConfig, contact: context.contact, event });
    case 'call':
      return { outcome: 'called', detail: `would call ${task.method} ${task.url}` };
    case 'wait':
      if (isAwaited(task, context, eventType)) return { outcome: 'event', detail: `the event ${eventType} arrives` };
      return { outcome: task.timeoutOutcome, detail: `would wait for ${task.waitingFor} until ${arrival.until?.toISOString()}` };
    default:
      return task satisfies never;
  }
}

/** Whether the event of the request ends this wait. */
function isAwaited(task: Task, context: WalkContext, eventType: string | undefined): boolean {
  return task.does === 'wait' && task.endedBy !== null && 'event' in task.endedBy && isEvent(task.endedBy.event, context, eventType);
}

/**
 * Whether the event of the request ends the run by its goal while it waits here, as it does before it ends the wait: docs/contract/sequences.md 26. It
 * does not come at a wait that is assumed to end otherwise.
 */
function meetsGoal({ node, arrival }: NodeStop, context: WalkContext, { goal }: SequenceGraph, eventType: string | undefined): boolean {
  const assumed = context.assumed(node.id);
  const mayCome = arrival.does === 'stand' && taskAt(node).does === 'wait' && (assumed === undefined || assumed === 'event');
  return mayCome && isEvent(goal?.event, context, eventType);
}

function isEvent(pattern: EventPattern | undefined, { around }: WalkContext, eventType: string | undefined): boolean {
  return pattern !== undefined && pattern.type === eventType && (pattern.match === undefined || around.holds(pattern.match));
}
