import type { SequenceGraph, SequenceNode } from './graph.ts';
import { type Arrival, arrive, type EndReason, MAX_HOPS, nodeAfter, type Surroundings } from './interpret.ts';
import type { ContactUpdate } from './node-parts.ts';

/** A node that was passed through. */
export interface Visit {
  readonly node: SequenceNode;
  readonly outcome: string;
  readonly detail: string;
}

/** Where a walk stops: at a node that takes time or reaches outside, or at its end. */
export type Stop =
  | { readonly at: 'node'; readonly node: SequenceNode; readonly arrival: Exclude<Arrival, { does: 'pass' | 'update' | 'end' }> }
  | { readonly at: 'end'; readonly reason: EndReason };

/** One contact on its way. What it sees changes as it goes: an update_contact node changes the copy that later nodes see. */
export interface Traveller {
  readonly around: Surroundings;
  /** Whether the goal's condition holds now. */
  goalHolds(): boolean;
  /** Changes the contact and says what happened. */
  update(update: ContactUpdate): string;
  /** Simulate only: this mail counts as sent from now on, as it would in a real run. */
  noteSent(template: string): void;
  /** The outcome that simulate was told to assume at a node; a real run has none. */
  assumed(nodeId: string): string | undefined;
}

/**
 * Walks from a node through everything that is done at once. Real runs and simulate both walk here, so their ways agree.
 * `hops`: the nodes visited since the last wait.
 */
export function walk(
  graph: SequenceGraph,
  start: SequenceNode | undefined,
  traveller: Traveller,
  hops: number,
): { visits: Visit[]; stop: Stop } {
  const visits: Visit[] = [];
  const end = (reason: EndReason): { visits: Visit[]; stop: Stop } => ({ visits, stop: { at: 'end', reason } });
  for (let node = start; ; ) {
    // The trigger is always visited: a trace without it would look as if nobody had come.
    if (node?.kind !== 'trigger' && traveller.goalHolds()) return end('goal');
    if (!node) return end('dead_end');
    if (hops + visits.length >= MAX_HOPS) return end('hop_guard');
    const arrival = arrive(node, traveller.around);
    switch (arrival.does) {
      case 'pass': {
        const assumed = traveller.assumed(node.id);
        const outcome = assumed ?? arrival.outcome;
        visits.push({ node, outcome, detail: assumed === undefined ? arrival.detail : `assumed: ${assumed}` });
        node = nodeAfter(graph, node.id, outcome);
        break;
      }
      case 'update':
        visits.push({ node, outcome: 'updated', detail: traveller.update(arrival.update) });
        node = nodeAfter(graph, node.id, 'updated');
        break;
      case 'end':
        visits.push({ node, outcome: arrival.outcome, detail: arrival.reason === 'goal' ? 'the goal is reached' : 'the end' });
        return end(arrival.reason);
      case 'send':
      case 'wait':
      case 'call':
      case 'enter':
        return { visits, stop: { at: 'node', node, arrival } };
      default:
        return arrival satisfies never;
    }
  }
}
