import type { Condition } from '../conditions/condition.ts';
import type { SequenceGraph } from './graph.ts';
import type { Task } from './kinds/kind.ts';
import { kindOf } from './kinds/node-kinds.ts';

/** Every condition that a walk through the graph may ask about. */
export function conditionsOf({ goal, nodes }: SequenceGraph): Condition[] {
  const ofGoal = [goal?.condition, goal?.event?.match].filter((condition) => condition !== undefined);
  return [...ofGoal, ...nodes.flatMap((node) => kindOf(node).conditions(node.config))];
}

/** Every condition by which an event enrolls. */
export function triggerConditions({ triggers }: Pick<SequenceGraph, 'triggers'>): Condition[] {
  return triggers.flatMap((trigger) => (trigger.kind === 'event' && trigger.config.match ? trigger.config.match : []));
}

/** What may end a run at any moment, or its wait at one of these tasks. */
export function watchedConditions({ goal }: Pick<SequenceGraph, 'goal'>, tasks: readonly (Task | undefined)[]): Condition[] {
  const awaited = tasks.flatMap((task) =>
    task?.does === 'wait' && task.endedBy && 'condition' in task.endedBy ? task.endedBy.condition : [],
  );
  return [...(goal?.condition ? [goal.condition] : []), ...awaited];
}

/** What may end a run at any moment, or any of its waits. */
export function conditionsWaitedFor(graph: SequenceGraph): Condition[] {
  return watchedConditions(
    graph,
    graph.nodes.map((node) => kindOf(node).task(node.config)),
  );
}
