import type { SequenceGraph } from '../sequence-queries.ts';

/** What one version of a graph has that another has not. */
export interface GraphChanges {
  /** Node ids. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** With other settings, or leading elsewhere. */
  readonly changed: readonly string[];
  /** Name, triggers, goal and what else is beside the nodes. */
  readonly hasOtherSettings: boolean;
}

/** How `after` differs from `before`; where a node stands in the list does not count. */
export function changesBetween(before: SequenceGraph, after: SequenceGraph): GraphChanges {
  const [old, now] = [nodesOf(before), nodesOf(after)];
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed: [...now].flatMap(([id, text]) => (old.has(id) && old.get(id) !== text ? [id] : [])),
    hasOtherSettings: settingsOf(before) !== settingsOf(after),
  };
}

function nodesOf({ nodes, edges }: SequenceGraph): ReadonlyMap<string, string> {
  return new Map(
    nodes.map(({ id, kind, config }) => {
      const out = edges.flatMap(({ from, to, branchKey = '' }) => (from === id ? [`${branchKey} ${to}`] : []));
      return [id, JSON.stringify([kind, config, out.toSorted()])];
    }),
  );
}

function settingsOf({ name, reentry, cooldownHours, goal, frequencyCap, triggers }: SequenceGraph): string {
  return JSON.stringify([name, reentry, cooldownHours, goal, frequencyCap, triggers]);
}
