import { MarkerType } from '@xyflow/react';
import { useMemo } from 'react';
import type { GraphEdge, GraphNode } from '../sequence-queries.ts';
import type { Editing } from './editing.ts';
import type { DrawnEdge } from './graph-edge.tsx';
import { edgeId, type Layout } from './layout.ts';
import type { Marks } from './marks.ts';
import type { Triggers } from './node-kinds.ts';
import { nodeWords, outcomeWords } from './node-words.ts';
import { useUnchanged } from './unchanged.ts';

const ARROW = { type: MarkerType.ArrowClosed, width: 14, height: 14 } as const;
const WAY_ARROW = { ...ARROW, color: 'var(--console-way)' } as const;

interface Given {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly triggers: Triggers;
  readonly layout: Layout;
  readonly marks: Marks;
  /** What stands in the middle of each, while the graph is edited. */
  readonly edgeAction: Editing['edgeAction'] | undefined;
}

/** The edges as React Flow draws them, named by where they lead; one that looks as before is the same object. */
export function useDrawnEdges({ nodes, edges, triggers, layout, marks, edgeAction }: Given): DrawnEdge[] {
  const drawn = useMemo(() => {
    const wordsOf = new Map(nodes.map((node) => [node.id, nodeWords(node, triggers)]));
    return wayLast(edges, marks).flatMap((edge): DrawnEdge[] => {
      const id = edgeId(edge);
      const way = layout.ways.get(id);
      if (!way) return [];
      const mark = marks.edges.get(id);
      const on = edge.branchKey === undefined ? '' : `, on ${outcomeWords(edge.branchKey)}`;
      const passed = mark?.passed === undefined ? '' : `, ${mark.passed.toLocaleString('en')} passed`;
      const converted = mark?.conversion ? `, ${mark.conversion.whole}` : '';
      return [
        {
          id,
          type: 'way',
          source: edge.from,
          target: edge.to,
          data: { edge, way, label: layout.labels.get(id), mark, where: `after ${wordsOf.get(edge.from)}${on}`, action: edgeAction },
          markerEnd: mark?.isOnWay ? WAY_ARROW : ARROW,
          ariaLabel: `From ${wordsOf.get(edge.from)} to ${wordsOf.get(edge.to)}${on}${passed}${converted}`,
          focusable: false,
        },
      ];
    });
  }, [nodes, triggers, edges, layout, marks, edgeAction]);
  return useUnchanged(drawn);
}

/** What is drawn last lies above. */
function wayLast(edges: readonly GraphEdge[], marks: Marks): GraphEdge[] {
  const isOnWay = (edge: GraphEdge): number => (marks.edges.get(edgeId(edge))?.isOnWay ? 1 : 0);
  return edges.toSorted((a, b) => isOnWay(a) - isOnWay(b));
}
