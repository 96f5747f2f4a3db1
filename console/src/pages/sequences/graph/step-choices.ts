import type { Choice } from '../../../frame/choices.ts';
import type { SequenceGraph } from '../sequence-queries.ts';
import { nodeWords } from './node-words.ts';

/** The steps at which a run can go on, by what people call them; of those with the same words the id stands behind. */
export function stepChoices({ nodes, triggers }: Pick<SequenceGraph, 'nodes' | 'triggers'>): Choice[] {
  const steps = nodes.filter(({ kind }) => kind !== 'trigger').map((node) => ({ value: node.id, label: nodeWords(node, triggers) }));
  const times = Map.groupBy(steps, ({ label }) => label);
  return steps.map(({ value, label }) => ({ value, label: (times.get(label)?.length ?? 0) > 1 ? `${label} (${value})` : label }));
}
