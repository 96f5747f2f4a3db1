import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphNode } from '../sequence-queries.ts';

export const NODE_WIDTH = 260;
/** Of two lines. */
export const NODE_HEIGHT = 52;
/** Room for the words at an edge. */
const LABEL = { width: 96, height: 22 };

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** The upper left corner of each node, by its id. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** By the id of the edge: from the node that it leaves, around those between, to the one that it leads to. */
  readonly ways: ReadonlyMap<string, readonly Point[]>;
  /** Where the words of an edge stand. */
  readonly labels: ReadonlyMap<string, Point>;
  readonly width: number;
  readonly height: number;
}

/** Of an edge within its graph: two nodes may be joined by several edges, each for another outcome. */
export function edgeId({
  from,
  to,
  branchKey,
}: {
  readonly from: string;
  readonly to: string;
  readonly branchKey?: string | null;
}): string {
  return `${from} ${branchKey ?? ''} ${to}`;
}

/** The last ones: laying out a large graph takes as long as several frames, and most changes of a graph move nothing. */
const kept = new Map<string, Layout>();
const MOST_KEPT = 8;

/** Places a graph from top to bottom. Edges to nodes that there are not are left out. The same nodes and edges have the same layout. */
export function layoutOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges.map(edgeId)]);
  const layout = kept.get(shape) ?? laidOut(nodes, edges);
  kept.delete(shape);
  kept.set(shape, layout);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return layout;
}

function laidOut(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 30, ranksep: 18, edgesep: 24, marginx: 0, marginy: 0 });
  const known = new Set(nodes.map(({ id }) => id));
  for (const id of known) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  // The ways out of a node are placed from right to left as they come: its first outcome is to be at the left.
  for (const edge of drawn.toReversed()) graph.setEdge(edge.from, edge.to, { ...LABEL, labelpos: 'c' }, edgeId(edge));
  layout(graph);
  const placed = (id: string): Point => graph.node(id) as Point;
  const routes = drawn.map((edge) => [edgeId(edge), graph.edge({ v: edge.from, w: edge.to, name: edgeId(edge) }), edge] as const);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    nodes: new Map([...known].map((id) => [id, { x: placed(id).x - NODE_WIDTH / 2, y: placed(id).y - NODE_HEIGHT / 2 }])),
    ways: new Map(
      routes.map(([id, route, { from, to }]) => {
        const [start, end] = [placed(from), placed(to)];
        const between = ((route as { points?: Point[] }).points ?? []).slice(1, -1);
        return [id, [{ x: start.x, y: start.y + NODE_HEIGHT / 2 }, ...between, { x: end.x, y: end.y - NODE_HEIGHT / 2 }]];
      }),
    ),
    labels: new Map(routes.map(([id, route]) => [id, { x: (route as Point).x, y: (route as Point).y }])),
    width: Math.max(width, NODE_WIDTH),
    height: Math.max(height, NODE_HEIGHT),
  };
}

/** A line through points that is upright at each of them. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let before = first;
  return rest.reduce((path, point) => {
    const middle = (before.y + point.y) / 2;
    const next = `${path} C ${before.x} ${middle}, ${point.x} ${middle}, ${point.x} ${point.y}`;
    before = point;
    return next;
  }, `M ${first.x} ${first.y}`);
}
