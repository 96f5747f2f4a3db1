import { ENDED } from './end-reason.ts';
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
  /** The node that was visited then; null: none so far. */
  readonly next: string | null;
  readonly count: number;
}

/** How runs went over a graph. Those that stand at nodes which only an earlier version had are counted together; what else was done there is left out. */
export function flowOver(
  graph: Pick<SequenceGraph, 'nodes' | 'edges'>,
  visits: readonly Visits[],
  standing: ReadonlyMap<string, number>,
): { readonly standingElsewhere: number; readonly nodes: NodeFlow[]; readonly edges: EdgeFlow[] } {
  const passed = new Map<object, number>();
  for (const { node_id, outcome, next, count } of visits) {
    const edge = outcome === null ? undefined : edgeAfter(graph, node_id, outcome);
    // In an earlier version the outcome led elsewhere.
    if (!edge || (next !== null && next !== edge.to)) continue;
    // A way may be called like that, too.
    if (outcome !== ENDED || edge.branchKey === ENDED) passed.set(edge, (passed.get(edge) ?? 0) + count);
  }
  const ids = new Set(graph.nodes.map(({ id }) => id));
  const sum = (nodeId: string, counts: (visit: Visits) => boolean): number =>
    visits.reduce((total, visit) => (visit.node_id === nodeId && counts(visit) ? total + visit.count : total), 0);
  return {
    standingElsewhere: [...standing].reduce((total, [id, count]) => (ids.has(id) ? total : total + count), 0),
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
