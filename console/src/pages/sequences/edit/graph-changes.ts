import { someOf } from '../../../letters.ts';
import type { Marks } from '../graph/marks.ts';
import { nodeWords } from '../graph/node-words.ts';
import type { GraphNode, SequenceGraph } from '../sequence-queries.ts';
import { SETTINGS, type Setting } from '../settings-words.ts';

/** A step that only one version has, or both but not alike. */
interface ChangedStep {
  readonly id: string;
  /** What it does in the version that it was taken from. */
  readonly words: string;
}

/** What one version of a graph has that another has not. */
export interface GraphChanges {
  readonly added: readonly ChangedStep[];
  readonly removed: readonly ChangedStep[];
  /** With other settings, or leading elsewhere. */
  readonly changed: readonly ChangedStep[];
  /** Of what is set beside the steps: each in words, like `goal: none before, now event paid`. */
  readonly settings: readonly string[];
}

/** How `after` differs from `before`; where a node stands in the list does not count. */
export function changesBetween(before: SequenceGraph, after: SequenceGraph): GraphChanges {
  const [old, now] = [nodesOf(before), nodesOf(after)];
  const step = (node: GraphNode, { triggers }: SequenceGraph): ChangedStep => ({ id: node.id, words: nodeWords(node, triggers) });
  return {
    added: after.nodes.filter(({ id }) => !old.has(id)).map((node) => step(node, after)),
    removed: before.nodes.filter(({ id }) => !now.has(id)).map((node) => step(node, before)),
    changed: after.nodes.filter(({ id }) => old.has(id) && old.get(id) !== now.get(id)).map((node) => step(node, after)),
    settings: [...new Set(Object.values(SETTINGS))].flatMap((setting) => changeOf(setting, before, after) ?? []),
  };
}

function nodesOf({ nodes, edges }: SequenceGraph): ReadonlyMap<string, string> {
  return new Map(
    nodes.map(({ id, kind, label, config }) => {
      const out = edges.flatMap(({ from, to, branchKey = '' }) => (from === id ? [`${branchKey} ${to}`] : []));
      return [id, JSON.stringify([kind, label, config, out.toSorted()])];
    }),
  );
}

/** undefined: it is the same. */
function changeOf({ name, of, words }: Setting, before: SequenceGraph, after: SequenceGraph): string | undefined {
  if (JSON.stringify(of(before)) === JSON.stringify(of(after))) return undefined;
  const [then, now] = [words(before) ?? 'none', words(after) ?? 'none'];
  return then === now ? `${name}: changed` : `${name}: was ${then}, now ${now}`;
}

const MOST_LISTED = 5;

/** A line for each sort of change, like `added Wait 1 day (later)`; none when there are no changes. */
export function changeLines({ added, removed, changed, settings }: GraphChanges): readonly string[] {
  const steps = [
    added.length > 0 ? `added ${listed(added)}` : '',
    removed.length > 0 ? `removed ${listed(removed)}` : '',
    changed.length > 0 ? `changed ${listed(changed)}` : '',
  ];
  return [...steps.filter(Boolean), ...settings.map((setting) => `changed the settings, ${setting}`)];
}

/** All of it in one sentence; '' when there are no changes. */
export function changesInWords(changes: GraphChanges): string {
  return changeLines(changes).join('; ');
}

function listed(steps: readonly ChangedStep[]): string {
  const names = steps.map(({ id, words }) => `${words} (${id})`);
  return someOf(names, MOST_LISTED);
}

/** What is new or changed, for a drawing of the later graph. */
export function changeMarks({ added, changed }: GraphChanges): Marks {
  return { nodes: new Map([...added, ...changed].map(({ id }) => [id, { tone: 'here' }])), edges: new Map() };
}
