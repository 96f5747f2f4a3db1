import { capitalized } from '../../../letters.ts';
import type { GraphNode } from '../sequence-queries.ts';
import { kindOf, type Triggers } from './node-kinds.ts';

/** What people call a node, else what happens there. */
export function nodeWords(node: GraphNode, triggers: Triggers = []): string {
  return node.label || whatHappens(node, triggers);
}

/** What happens at a node, in a few words. A config that is not what its kind takes is named by its kind alone. */
export function whatHappens(node: GraphNode, triggers: Triggers = []): string {
  try {
    return kindOf(node)?.words?.(node.config ?? {}, triggers) ?? kindName(node);
  } catch {
    return kindName(node);
  }
}

/** What people call its kind; one that this console does not know as the API calls it. */
export function kindName(node: GraphNode): string {
  return kindOf(node)?.name ?? node.kind;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  true: 'Yes',
  false: 'No',
  default: 'Otherwise',
  timeout: 'Timed out',
  met: 'Met',
  event: 'Event',
  gathered: 'Gathered',
  empty: 'None came',
  passed: 'Passed',
  dropped: 'Dropped',
};

/** The outcome that an edge is for. */
export function outcomeWords(key: string): string {
  return OUTCOMES[key] ?? key;
}

/** Every outcome that an edge out of a node can be for, in order; none where one edge serves all. */
export function branchKeys(node: GraphNode): readonly string[] {
  return kindOf(node)?.outcomes?.(node.config ?? {}) ?? [];
}

/** Whether a run that stands at a node waits for an event. */
export function awaitsEvent(node: GraphNode): boolean {
  return kindOf(node)?.awaitsEvent?.(node.config ?? {}) ?? false;
}

/** What a simulation can be told to assume at a node; nothing where there is but one way. */
export function assumableOutcomes(node: GraphNode): readonly string[] {
  return kindOf(node)?.assumable ?? branchKeys(node);
}

/** One of them, as people call it; a way out by the name that its edge has. */
export function assumableWords(node: GraphNode, outcome: string): string {
  if (branchKeys(node).includes(outcome)) return outcomeWords(outcome);
  return outcome === 'skipped' ? 'Left out' : capitalized(outcome);
}
