import type { Marks } from '../graph/marks.ts';
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

const MOST_LISTED = 5;

/** Like `added a, b, changed c and the settings`; '' when there are none. */
export function changesInWords({ added, removed, changed, hasOtherSettings }: GraphChanges): string {
  const parts = [
    added.length > 0 ? `added ${listed(added)}` : '',
    removed.length > 0 ? `removed ${listed(removed)}` : '',
    changed.length > 0 ? `changed ${listed(changed)}` : '',
    hasOtherSettings ? 'changed the settings of the sequence' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function listed(ids: readonly string[]): string {
  const more = ids.length - MOST_LISTED;
  return ids.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What is new or changed, for a drawing of the later graph. */
export function changeMarks({ added, changed }: GraphChanges): Marks {
  return { nodes: new Map([...added, ...changed].map((id) => [id, { tone: 'here' }])), edges: new Map() };
}
