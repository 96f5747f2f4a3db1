import type { ReactNode } from 'react';
import type { GraphEdge } from '../sequence-queries.ts';

/** What the canvas calls while the graph is edited. */
export interface Editing {
  connect(from: string, to: string): void;
  /** By the key Delete on a node. */
  remove(nodeId: string): void;
  /** By the key A on a node that leads on. */
  add(nodeId: string): void;
  /** By the key D on a node that there may be several of. */
  copy(nodeId: string): void;
  /** In the middle of each edge; `where` is like `after Branch: plan is pro, on Yes`. */
  readonly edgeAction: (edge: GraphEdge, where: string) => ReactNode;
}
