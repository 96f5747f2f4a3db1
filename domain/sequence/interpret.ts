import type { SequenceGraph, SequenceNode } from './graph.ts';

export type EndReason = 'exit' | 'dead_end' | 'hop_guard' | 'cancelled' | 'exit_sequences' | 'archived' | 'terminated' | 'failed';

/** Reasons with which an enrollment ends as completed; every other one ends it as cancelled. */
const COMPLETED: readonly EndReason[] = ['exit', 'dead_end', 'hop_guard'];

export function endStatus(reason: EndReason): 'completed' | 'cancelled' {
  return COMPLETED.includes(reason) ? 'completed' : 'cancelled';
}

/** Node visits without a wait after which a run is taken for a loop: decisions.md 7.9. */
export const MAX_HOPS = 500;

/** What happens at a node on arrival. */
export type Arrival =
  /** Done at once; the run goes on with this outcome. */
  | { readonly does: 'pass'; readonly outcome: string; readonly detail: string }
  | { readonly does: 'send'; readonly template: string }
  | { readonly does: 'wait'; readonly waitingFor: string; readonly until: Date }
  | { readonly does: 'end'; readonly reason: EndReason };

/** Where a run begins: the one trigger node. */
export function entryNode({ nodes }: SequenceGraph): SequenceNode | undefined {
  return nodes.find(({ kind }) => kind === 'trigger');
}

/** The node that an outcome leads to: the edge of its own key, else the one edge without a key. */
export function nodeAfter({ nodes, edges }: SequenceGraph, nodeId: string, outcome: string): SequenceNode | undefined {
  const out = edges.filter(({ from }) => from === nodeId);
  const edge = out.find(({ branchKey }) => branchKey === outcome) ?? out.find(({ branchKey }) => branchKey === undefined);
  return edge && nodes.find(({ id }) => id === edge.to);
}

export function arrive(node: SequenceNode, now: Date): Arrival {
  switch (node.kind) {
    case 'trigger':
      return { does: 'pass', outcome: 'enrolled', detail: 'entered the sequence' };
    case 'send_email':
      return { does: 'send', template: node.config.template };
    case 'wait_delay':
      return { does: 'wait', waitingFor: 'delay', until: new Date(now.getTime() + node.config.minutes * 60_000) };
    case 'exit':
      return { does: 'end', reason: 'exit' };
    default:
      return node satisfies never;
  }
}
