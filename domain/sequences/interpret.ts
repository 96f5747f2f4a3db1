import type { WalkEnd } from './end-reason.ts';
import { nodeAfter, type SequenceGraph } from './graph.ts';
import type { Arrival, Surroundings, Task } from './kinds/kind.ts';
import { kindOf, type SequenceNode } from './kinds/node-kinds.ts';

/** What happens at a node on arrival. */
export function arrive(node: SequenceNode, around: Surroundings): Arrival {
  return kindOf(node).arrive(node.config, around, node.id);
}

/** What a run does that stands at a node. */
export function taskAt(node: SequenceNode): Task {
  const task = kindOf(node).task(node.config);
  if (!task) throw new Error(`no run stands at the ${node.kind} node ${node.id}`);
  return task;
}

/** Where an outcome leads: to a node, to a dead end (undefined), or to the end of the run. */
export type Onward = { readonly to: SequenceNode | undefined } | { readonly ends: WalkEnd };

export function onwardFrom(graph: SequenceGraph, node: SequenceNode, outcome: string): Onward {
  const reason = kindOf(node).endsRun(node.config, outcome);
  return reason ? { ends: reason } : { to: nodeAfter(graph, node.id, outcome) };
}
