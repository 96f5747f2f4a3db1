import '@xyflow/react/dist/base.css';
import { Background, type NodeChange, ReactFlow } from '@xyflow/react';
import { type ReactNode, useCallback, useEffect, useMemo } from 'react';
import type { SequenceGraph } from '../sequence-queries.ts';
import { CanvasTools } from './canvas-tools.tsx';
import type { Editing } from './editing.ts';
import classes from './graph.module.css';
import { type DrawnEdge, GraphEdgeLine } from './graph-edge.tsx';
import { type DrawnNode, GraphNodeCard } from './graph-node.tsx';
import { layoutOf } from './layout.ts';
import type { Marks } from './marks.ts';
import { nodeWords } from './node-words.ts';
import { useCanvasKeys, useTabStop } from './use-canvas-keys.ts';
import { useDrawnEdges } from './use-drawn-edges.ts';
import { useDrawnNodes } from './use-drawn-nodes.ts';
import { useViewport } from './use-viewport.ts';

const NODE_TYPES = { step: GraphNodeCard };
const EDGE_TYPES = { way: GraphEdgeLine };
const WORDS = { 'node.a11yDescription.default': 'Press Enter to open this step, or an arrow key to move to the next one.' };
const EDITING_WORDS = {
  'node.a11yDescription.default':
    'Press Enter to edit this step, A to add a step after it, Tab to choose a path, D to duplicate it, Delete to remove it, or an arrow key to move to the next one.',
};
/** What React Flow would do by itself and the canvas does not: nodes stay where they are laid out, and the keyboard is the canvas's own. */
const FIXED = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  nodesDraggable: false,
  edgesFocusable: false,
  elementsSelectable: true,
  deleteKeyCode: null,
  // It leaves a node that is seen in part where it is.
  autoPanOnNodeFocus: false,
  multiSelectionKeyCode: null,
  selectionKeyCode: null,
  minZoom: 0.15,
  maxZoom: 1.5,
  panOnScroll: true,
  proOptions: { hideAttribution: true },
} as const;
/** Of a larger graph only what is seen is drawn; of others all is, since drawing what comes into view while one pans costs frames. */
const MOST_DRAWN = 120;
/** A larger graph has a search for its steps. */
const MOST_WITHOUT_SEARCH = 20;

interface Given {
  readonly graph: Pick<SequenceGraph, 'nodes' | 'edges' | 'triggers'>;
  readonly marks: Marks;
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly editing?: Editing;
  /** Nodes that are brought into view together, when they are others than before. */
  readonly way?: readonly string[] | undefined;
}

/** A graph, drawn from top to bottom; its nodes can be selected by mouse and keyboard. */
export function GraphCanvas({ graph, marks, selected, onSelect, label, editing, way }: Given): ReactNode {
  const { nodes, edges, triggers } = graph;
  const layout = useMemo(() => layoutOf(nodes, edges), [nodes, edges]);
  const entry = nodes.find(({ kind }) => kind === 'trigger')?.id ?? nodes[0]?.id;
  const canConnect = editing !== undefined;
  const { stop, setLast } = useTabStop(selected, layout, entry);
  const shownNodes = useDrawnNodes({ nodes, triggers, layout, marks, canConnect, selected, stop });
  const shownEdges = useDrawnEdges({ nodes, edges, triggers, layout, marks, edgeAction: editing?.edgeAction });
  const { ref, flow, onInit, bringIntoView } = useViewport({ layout, entry, way, isToRead: editing === undefined });
  // Chosen in a list beside it, a node may lie outside of what is seen.
  useEffect(() => bringIntoView(selected), [selected, bringIntoView]);
  const { pressed, focused, goTo } = useCanvasKeys({ nodes, edges, layout, editing, onSelect, bringIntoView, onFocus: setLast });
  const changed = useCallback(
    (changes: NodeChange<DrawnNode>[]) => {
      const picked = changes.find((change) => change.type === 'select' && change.selected);
      if (picked?.type === 'select') onSelect(picked.id);
    },
    [onSelect],
  );
  const isLarge = nodes.length > MOST_WITHOUT_SEARCH;
  const steps = useMemo(
    () => (isLarge ? nodes.map((node) => ({ value: node.id, label: `${nodeWords(node, triggers)} (${node.id})` })) : undefined),
    [isLarge, nodes, triggers],
  );
  return (
    <section className={classes.canvas} aria-label={label} onKeyDownCapture={pressed} onFocus={focused}>
      <div ref={ref} className={classes.view}>
        <ReactFlow<DrawnNode, DrawnEdge>
          {...FIXED}
          onlyRenderVisibleElements={nodes.length > MOST_DRAWN}
          nodes={shownNodes}
          edges={shownEdges}
          onInit={onInit}
          onNodesChange={changed}
          onPaneClick={() => onSelect(undefined)}
          onConnect={({ source, target }) => editing?.connect(source, target)}
          isValidConnection={({ source, target }) => source !== target}
          nodesConnectable={canConnect}
          ariaLabelConfig={editing ? EDITING_WORDS : WORDS}
        >
          <Background gap={18} size={1} color="var(--console-dots)" />
        </ReactFlow>
      </div>
      <CanvasTools
        flow={flow}
        steps={steps}
        hint={editing ? 'On a step: A adds, D duplicates. Drag to connect' : undefined}
        onStep={(id) => {
          onSelect(id);
          goTo(id);
        }}
      />
    </section>
  );
}
