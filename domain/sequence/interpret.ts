import { createHash } from 'node:crypto';
import type { Condition } from '../condition/condition.ts';
import type { NodeConfigs, NodeOf, SequenceGraph, SequenceNode } from './graph.ts';
import { nextLocalTime, resolveZone } from './local-time.ts';

export type EndReason = 'exit' | 'goal' | 'dead_end' | 'hop_guard' | 'cancelled' | 'exit_sequences' | 'archived' | 'terminated' | 'failed';

/** Reasons with which an enrollment ends as completed; every other one ends it as cancelled. */
const COMPLETED: readonly EndReason[] = ['exit', 'goal', 'dead_end', 'hop_guard'];

export function endStatus(reason: EndReason): 'completed' | 'cancelled' {
  return COMPLETED.includes(reason) ? 'completed' : 'cancelled';
}

/** Node visits without a wait after which a run is taken for a loop: decisions.md 7.9. */
export const MAX_HOPS = 500;

/** What a decision at a node may look at; the same for a real run and for simulate. */
export interface Surroundings {
  readonly now: Date;
  readonly sequenceKey: string;
  /** `simulated` for a contact that exists only in a request. */
  readonly contactId: string;
  readonly contactTimezone: string | null;
  holds(condition: Condition): boolean;
}

/** What happens at a node on arrival. */
export type Arrival =
  /** Done at once; the run goes on with this outcome. */
  | { readonly does: 'pass'; readonly outcome: string; readonly detail: string }
  | { readonly does: 'update'; readonly update: NodeConfigs['update_contact'] }
  | { readonly does: 'send'; readonly template: string }
  /** Until its instant, or, for an event, a condition or another sequence, until that comes first. */
  | { readonly does: 'wait'; readonly waitingFor: string; readonly until: Date; readonly timeoutOutcome: string }
  | { readonly does: 'call'; readonly webhook: NodeConfigs['webhook'] }
  | { readonly does: 'enter'; readonly sequenceKey: string; readonly wait: boolean }
  | { readonly does: 'end'; readonly reason: EndReason; readonly outcome: string };

/** Where a run begins: the one trigger node. */
export function entryNode({ nodes }: SequenceGraph): SequenceNode | undefined {
  return nodes.find(({ kind }) => kind === 'trigger');
}

export function nodeOf({ nodes }: SequenceGraph, nodeId: string): SequenceNode | undefined {
  return nodes.find(({ id }) => id === nodeId);
}

/** The node that an outcome leads to: by the edge of its own key, else by the one edge without a key. */
export function nodeAfter(graph: SequenceGraph, nodeId: string, outcome: string): SequenceNode | undefined {
  const out = graph.edges.filter(({ from }) => from === nodeId);
  const edge = out.find(({ branchKey }) => branchKey === outcome) ?? out.find(({ branchKey }) => branchKey === undefined);
  return edge && nodeOf(graph, edge.to);
}

/** The one place that knows what each kind of node does. */
export function arrive(node: SequenceNode, around: Surroundings): Arrival {
  switch (node.kind) {
    case 'trigger':
      return pass('enrolled', 'entered the sequence');
    case 'send_email':
      return { does: 'send', template: node.config.template };
    case 'wait_delay':
    case 'wait_until':
      return arriveAtWait(node, around);
    case 'branch':
      return arriveAtBranch(node.config, around);
    case 'split':
      return arriveAtSplit(node, around);
    case 'update_contact':
      return { does: 'update', update: node.config };
    case 'webhook':
      return { does: 'call', webhook: node.config };
    case 'subflow':
      return { does: 'enter', sequenceKey: node.config.sequenceKey, wait: node.config.mode === 'wait' };
    case 'goal':
      return !node.config || around.holds(node.config.condition)
        ? { does: 'end', reason: 'goal', outcome: 'reached' }
        : pass('passed', 'the condition of the goal does not hold');
    case 'exit':
      return { does: 'end', reason: 'exit', outcome: 'ended' };
    default:
      return node satisfies never;
  }
}

/** What a wait waits for, and the outcome that its instant brings. */
export function waitOf(node: NodeOf<'wait_delay'> | NodeOf<'wait_until'>): {
  readonly waitingFor: string;
  readonly timeoutOutcome: string;
} {
  if (node.kind === 'wait_delay') return { waitingFor: 'delay', timeoutOutcome: 'waited' };
  if ('time' in node.config) return { waitingFor: 'time', timeoutOutcome: 'waited' };
  return { waitingFor: 'event' in node.config ? `event:${node.config.event.type}` : 'condition', timeoutOutcome: 'timeout' };
}

function arriveAtWait(node: NodeOf<'wait_delay'> | NodeOf<'wait_until'>, around: Surroundings): Arrival {
  const { now } = around;
  if (node.kind === 'wait_until' && 'condition' in node.config && around.holds(node.config.condition))
    return pass('met', 'the condition holds already');
  const until = untilOf(node, around);
  const wait = waitOf(node);
  // An instant that has come already is no wait.
  return !until || until.getTime() <= now.getTime() ? pass(wait.timeoutOutcome, 'passed at once') : { does: 'wait', until, ...wait };
}

function untilOf({ kind, config }: NodeOf<'wait_delay'> | NodeOf<'wait_until'>, { now, contactTimezone }: Surroundings): Date | undefined {
  if (kind === 'wait_until' && 'time' in config) {
    return nextLocalTime(config.time, resolveZone(config.time, contactTimezone), now);
  }
  const minutes = 'minutes' in config ? config.minutes : 'timeoutMinutes' in config ? config.timeoutMinutes : 0;
  return new Date(now.getTime() + minutes * 60_000);
}

function arriveAtBranch(config: NodeConfigs['branch'], around: Surroundings): Arrival {
  if ('when' in config) {
    return around.holds(config.when) ? pass('true', 'the condition holds') : pass('false', 'the condition does not hold');
  }
  const chosen = config.branches.find(({ when }) => around.holds(when));
  return chosen ? pass(chosen.key, `the condition of ${chosen.key} holds`) : pass('default', 'no condition holds');
}

/** A stable hash of contact, sequence and node, so that simulate and every real run of a contact take the same arm. */
function arriveAtSplit({ id, config }: NodeOf<'split'>, { contactId, sequenceKey }: Surroundings): Arrival {
  const arms = config.arms.map(({ key, weight }) => ({ key, weight: weight ?? 1 }));
  const total = arms.reduce((sum, { weight }) => sum + weight, 0);
  const digest = createHash('sha256')
    .update(JSON.stringify([contactId, sequenceKey, id]))
    .digest();
  let point = (digest.readUIntBE(0, 6) / 2 ** 48) * total;
  const chosen = arms.find(({ weight }) => {
    point -= weight;
    return point < 0;
  });
  const { key } = chosen ?? (arms.at(-1) as { key: string });
  return pass(key, `arm ${key}`);
}

function pass(outcome: string, detail: string): Arrival {
  return { does: 'pass', outcome, detail };
}
