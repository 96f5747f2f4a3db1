import type { Condition } from '../conditions/condition.ts';
import type { SequenceGraph } from './graph.ts';
import { kindOf } from './kinds/node-kinds.ts';

/** Every condition that a walk through the graph may ask about. */
export function conditionsOf({ goal, nodes }: SequenceGraph): Condition[] {
  const ofGoal = [goal?.condition, goal?.event?.match].filter((condition) => condition !== undefined);
  return [...ofGoal, ...nodes.flatMap((node) => kindOf(node).conditions(node.config))];
}
