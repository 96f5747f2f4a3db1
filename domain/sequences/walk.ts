import type { WalkEnd } from './end-reason.ts';
import type { SequenceGraph } from './graph.ts';
import { arrive, onwardFrom } from './interpret.ts';
import type { Arrival } from './kinds/kind.ts';
import type { SequenceNode } from './kinds/node-kinds.ts';
import { OverBudget } from './walk-budget.ts';
import type { WalkContext } from './walk-context.ts';

/** Node visits without a wait after which a run is taken for a loop: docs/contract/sequences.md 28. */
export const MAX_HOPS = 500;
/** Beside the first, of a simulation with several events. */
export const MAX_SIMULATED_RUNS = 20;
/** Node visits in the whole life of a run. */
export const MAX_STEPS = 10_000;

/** What is done within the walk. */
type AtOnce = Extract<Arrival, { does: 'pass' | 'update' | 'end' }>;

/** A node that was passed through. */
export interface Visit {
  readonly node: SequenceNode;
  readonly outcome: string;
  readonly detail: string;
}

/** Where a walk stops: at a node that takes time or reaches outside, or at its end. */
export type Stop =
  | { readonly at: 'node'; readonly node: SequenceNode; readonly arrival: Exclude<Arrival, AtOnce> }
  | { readonly at: 'end'; readonly reason: WalkEnd };

export interface Walk {
  readonly visits: readonly Visit[];
  readonly stop: Stop;
}

/**
 * Walks from a node through everything that is done at once. Real runs and simulate both walk here, so their ways agree.
 * `most`: so many nodes may still be visited.
 */
export function walk(graph: SequenceGraph, start: SequenceNode | undefined, context: WalkContext, most: number): Walk {
  const visits: Visit[] = [];
  const end = (reason: WalkEnd): Walk => ({ visits, stop: { at: 'end', reason } });
  let node = start;
  try {
    for (;;) {
      // The trigger is always visited, so that the trace of every run begins with it.
      if (node?.kind !== 'trigger' && context.goalHolds()) return end('goal');
      if (!node) return end('dead_end');
      if (visits.length >= most) return end('hop_guard');
      const arrival = arrive(node, context.around);
      if (!isAtOnce(arrival)) return { visits, stop: { at: 'node', node, arrival } };
      const visit = visitOf(node, arrival, context);
      visits.push(visit);
      if (arrival.does === 'end') return end(arrival.reason);
      const onward = onwardFrom(graph, node, visit.outcome);
      if ('ends' in onward) return end(onward.ends);
      node = onward.to;
    }
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    // Nothing that a later try could do better.
    if (node) visits.push({ node, outcome: 'failed', detail: error.message });
    return end('failed');
  }
}

function isAtOnce(arrival: Arrival): arrival is AtOnce {
  return arrival.does === 'pass' || arrival.does === 'update' || arrival.does === 'end';
}

function visitOf(node: SequenceNode, arrival: AtOnce, context: WalkContext): Visit {
  switch (arrival.does) {
    case 'pass': {
      const assumed = context.assumed(node.id);
      return assumed === undefined
        ? { node, outcome: arrival.outcome, detail: arrival.detail }
        : { node, outcome: assumed, detail: `assumed: ${assumed}` };
    }
    case 'update':
      return { node, outcome: 'updated', detail: context.update(arrival.update) };
    case 'end':
      return { node, outcome: arrival.outcome, detail: arrival.detail };
    default:
      return arrival satisfies never;
  }
}
