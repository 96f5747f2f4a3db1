import { shownWords } from '../shown-text.ts';
import type { Migrate } from './enrollment-action.ts';
import type { SequenceGraph } from './graph.ts';
import { standingProblem } from './graph-changes.ts';
import { NODE_ID_RULE, NodeId } from './kinds/kind.ts';
import { MAX_NODES } from './schema.ts';
import type { GraphProblem } from './structure.ts';

const FORM = 'an object like { "old_node": "new_node", "other_node": null }';

/** What becomes of those who stand at nodes, as far as its own form goes; undefined: nothing was asked for. */
export function readMigrate(given: unknown): { readonly migrate: Migrate | undefined } | { readonly problems: readonly GraphProblem[] } {
  if (given === undefined || given === null) return { migrate: undefined };
  if (typeof given !== 'object' || Array.isArray(given)) return { problems: [{ message: `migrate: ${FORM}` }] };
  const entries = Object.entries(given);
  if (entries.length > MAX_NODES) return { problems: [{ message: `migrate: at most ${MAX_NODES} nodes` }] };
  const problems = entries.flatMap(([from, to]): GraphProblem[] => {
    if (!NodeId.safeParse(from).success) return [{ message: `migrate.${shownWords(from)}: ${NODE_ID_RULE}` }];
    return to === null || NodeId.safeParse(to).success ? [] : [{ message: `migrate.${from}: the id of a node, or null to end their runs` }];
  });
  return problems.length > 0 ? { problems } : { migrate: given as Migrate };
}

/** What is wrong with it for a new graph. `isKnown`: whether the sequence has or had such a node. */
export function migrateProblems(migrate: Migrate, graph: SequenceGraph, isKnown: (nodeId: string) => boolean): GraphProblem[] {
  return Object.entries(migrate).flatMap(([from, to]): GraphProblem[] => {
    if (!isKnown(from)) return [{ message: `migrate.${from}: the graph that there was has no such node, and nobody stands at one` }];
    const problem = to === null ? undefined : standingProblem(graph, to);
    return problem === undefined ? [] : [{ message: `migrate.${from}: ${problem}` }];
  });
}
