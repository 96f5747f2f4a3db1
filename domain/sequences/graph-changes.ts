import { canonicalJson } from '../canonical-json.ts';
import { entryNode, nodeOf, type SequenceGraph } from './graph.ts';

/** What becomes of a step at which people may stand. */
export const STEP_CHANGES = ['removed', 'changed'] as const;
export type StepChange = (typeof STEP_CHANGES)[number];

export interface ChangedStep {
  readonly nodeId: string;
  readonly change: StepChange;
}

type Nodes = Pick<SequenceGraph, 'nodes'>;

/** The nodes of one graph that another has no more, or with another kind or config, in their order. What a node is called changes nothing. */
export function changedSteps(before: Nodes, after: Nodes): ChangedStep[] {
  const kept = new Map(after.nodes.map((node) => [node.id, stepOf(node)]));
  return before.nodes.flatMap((node): ChangedStep[] => {
    const now = kept.get(node.id);
    if (now === undefined) return [{ nodeId: node.id, change: 'removed' }];
    return now === stepOf(node) ? [] : [{ nodeId: node.id, change: 'changed' }];
  });
}

function stepOf({ kind, config }: Nodes['nodes'][number]): string {
  return canonicalJson({ kind, config });
}

/** Why no run can go on at a node of a graph; undefined: it can. */
export function standingProblem(graph: SequenceGraph, nodeId: string): string | undefined {
  if (!nodeOf(graph, nodeId)) return `the graph has no node ${nodeId}`;
  return entryNode(graph)?.id === nodeId ? `${nodeId} is the trigger, where no run goes on` : undefined;
}
