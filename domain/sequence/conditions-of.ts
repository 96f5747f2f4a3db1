import type { Condition } from '../condition/condition.ts';
import type { SequenceGraph, SequenceNode } from './graph.ts';

/** Every condition that a walk through the graph may ask about. */
export function conditionsOf({ goal, nodes }: SequenceGraph): Condition[] {
  return [...[goal?.condition, goal?.event?.match].filter((condition) => condition !== undefined), ...nodes.flatMap(ofNode)];
}

function ofNode(node: SequenceNode): Condition[] {
  switch (node.kind) {
    case 'branch':
      return 'when' in node.config ? [node.config.when] : node.config.branches.map(({ when }) => when);
    case 'wait_until':
      if ('condition' in node.config) return [node.config.condition];
      return 'event' in node.config && node.config.event.match ? [node.config.event.match] : [];
    case 'goal':
      return node.config ? [node.config.condition] : [];
    default:
      return [];
  }
}
