import { edgeAfter, type SequenceGraph } from './graph.ts';

export interface NodeFlow {
  readonly id: string;
  /** Runs that stand there now. */
  readonly standing: number;
  readonly visits: number;
  readonly failed: number;
}

export interface EdgeFlow {
  readonly from: string;
  readonly to: string;
  readonly branchKey: string | null;
  readonly passed: number;
}

/** Visits that ended with the same outcome, or have not ended: outcome null. */
export interface Visits {
  readonly node_id: string;
  readonly outcome: string | null;
  readonly count: number;
}

/** How runs went over a graph. What they did at nodes that an earlier version had is left out. */
export function flowOver(
  graph: Pick<SequenceGraph, 'nodes' | 'edges'>,
  visits: readonly Visits[],
  standing: ReadonlyMap<string, number>,
): { readonly nodes: NodeFlow[]; readonly edges: EdgeFlow[] } {
  const passed = new Map<object, number>();
  for (const { node_id, outcome, count } of visits) {
    const edge = outcome === null ? undefined : edgeAfter(graph, node_id, outcome);
    if (edge) passed.set(edge, (passed.get(edge) ?? 0) + count);
  }
  const sum = (nodeId: string, counts: (visit: Visits) => boolean): number =>
    visits.reduce((total, visit) => (visit.node_id === nodeId && counts(visit) ? total + visit.count : total), 0);
  return {
    nodes: graph.nodes.map(({ id }) => ({
      id,
      standing: standing.get(id) ?? 0,
      visits: sum(id, () => true),
      failed: sum(id, ({ outcome }) => outcome === 'failed'),
    })),
    edges: graph.edges.map((edge) => ({
      ...{ from: edge.from, to: edge.to, branchKey: edge.branchKey ?? null },
      passed: passed.get(edge) ?? 0,
    })),
  };
}
