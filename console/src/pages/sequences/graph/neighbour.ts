import type { GraphEdge } from '../sequence-queries.ts';
import type { Layout, Point } from './layout.ts';

export type Direction = 'up' | 'down' | 'left' | 'right' | 'first' | 'last';

/**
 * The node that a key leads to: along an edge up and down, to the one beside it left and right, at the end of a row to the next row, so that these
 * two come to every node. undefined: there is none.
 */
export function neighbourOf(direction: Direction, id: string, { nodes }: Layout, edges: readonly GraphEdge[]): string | undefined {
  const here = nodes.get(id);
  if (!here) return undefined;
  if (direction === 'up') return nearest(here, nodes, linked(edges, 'to', id, 'from'));
  if (direction === 'down') return nearest(here, nodes, linked(edges, 'from', id, 'to'));
  const rows = [...nodes].toSorted(([, a], [, b]) => a.y - b.y || a.x - b.x).map(([one]) => one);
  const at = rows.indexOf(id);
  return { left: rows[at - 1], right: rows[at + 1], first: rows[0], last: rows.at(-1) }[direction];
}

function linked(edges: readonly GraphEdge[], end: 'from' | 'to', id: string, other: 'from' | 'to'): readonly string[] {
  return edges.flatMap((edge) => (edge[end] === id && edge[other] !== id ? [edge[other]] : []));
}

function nearest(here: Point, nodes: Layout['nodes'], ids: readonly string[]): string | undefined {
  const distance = (id: string): number => Math.abs((nodes.get(id)?.x ?? Number.POSITIVE_INFINITY) - here.x);
  return ids.filter((id) => nodes.has(id)).toSorted((a, b) => distance(a) - distance(b))[0];
}
