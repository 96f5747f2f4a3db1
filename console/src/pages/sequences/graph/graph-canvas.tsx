import '@xyflow/react/dist/base.css';
import { useElementSize } from '@mantine/hooks';
import {
  Background,
  type Connection,
  Controls,
  MarkerType,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  type Viewport,
} from '@xyflow/react';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import type { SequenceGraph } from '../sequence-queries.ts';
import classes from './graph.module.css';
import { type DrawnEdge, GraphEdgeLine } from './graph-edge.tsx';
import { type DrawnNode, GraphNodeCard } from './graph-node.tsx';
import { edgeId, type Layout, layoutOf, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import type { Marks } from './marks.ts';
import { type GraphEdge, nodeWords } from './node-words.ts';
import { useUnchanged } from './unchanged.ts';

const NODE_TYPES = { step: GraphNodeCard };
const EDGE_TYPES = { way: GraphEdgeLine };
const ARROW = { type: MarkerType.ArrowClosed, width: 14, height: 14 } as const;
const WAY_ARROW = { ...ARROW, color: 'var(--console-way)' } as const;
/** Nodes stay where they are laid out. */
const WORDS = { 'node.a11yDescription.default': 'Press Enter to see this step.' };
const EDITING_WORDS = { 'node.a11yDescription.default': 'Press Enter to change this step, A to add one after it, Delete to take it out.' };
const MIN_ZOOM = 0.15;
/** Below it nothing can be read, so a graph that is larger is shown from its top. */
const READABLE_ZOOM = 0.85;
/** As far as it is made smaller for its columns to be seen whole, where there is little room beside each other. */
const NARROW_ZOOM = 0.6;
const NARROW_ROOM = 600;
const PADDING = 24;
const NARROW_PADDING = 12;

/** What the canvas calls while the graph is edited. */
export interface Editing {
  connect(from: string, to: string): void;
  /** By the key Delete on a node. */
  remove(nodeId: string): void;
  /** By the key A on a node that leads on. */
  add(nodeId: string): void;
  /** In the middle of each edge. */
  readonly edgeAction: (edge: GraphEdge) => ReactNode;
}

interface Given {
  readonly graph: Pick<SequenceGraph, 'nodes' | 'edges' | 'triggers'>;
  readonly marks: Marks;
  readonly selected: string | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly editing?: Editing;
}

/** A graph, drawn from top to bottom; its nodes can be selected by mouse and keyboard. */
export function GraphCanvas({ graph, marks, selected, onSelect, label, editing }: Given): ReactNode {
  const { nodes, edges, triggers } = graph;
  const { ref, width, height } = useElementSize();
  const flow = useRef<ReactFlowInstance<DrawnNode, DrawnEdge>>(undefined);
  const layout = useMemo(() => layoutOf(nodes, edges), [nodes, edges]);
  const canConnect = editing !== undefined;
  const drawnNodes = useMemo(
    () =>
      nodes.map((node): DrawnNode => {
        const words = nodeWords(node, triggers);
        const mark = marks.nodes.get(node.id);
        return {
          id: node.id,
          type: 'step',
          position: layout.nodes.get(node.id) ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          data: { node, words, mark, canConnect },
          ariaRole: 'button',
        };
      }),
    [nodes, triggers, layout, marks, canConnect],
  );
  const sameNodes = useUnchanged(drawnNodes);
  const shownNodes = useMemo(
    () => (selected === undefined ? sameNodes : sameNodes.map((node) => (node.id === selected ? { ...node, selected: true } : node))),
    [sameNodes, selected],
  );
  const edgeAction = editing?.edgeAction;
  const drawnEdges = useMemo(
    () =>
      wayLast(edges, marks).flatMap((edge): DrawnEdge[] => {
        const id = edgeId(edge);
        const way = layout.ways.get(id);
        if (!way) return [];
        const mark = marks.edges.get(id);
        return [
          {
            id,
            type: 'way',
            source: edge.from,
            target: edge.to,
            data: { edge, way, label: layout.labels.get(id), mark, action: edgeAction },
            markerEnd: mark?.isOnWay ? WAY_ARROW : ARROW,
            focusable: false,
          },
        ];
      }),
    [edges, layout, marks, edgeAction],
  );
  const shownEdges = useUnchanged(drawnEdges);
  const changed = useCallback(
    (changes: NodeChange<DrawnNode>[]) => {
      const picked = changes.find((change) => change.type === 'select' && change.selected);
      if (picked?.type === 'select') onSelect(picked.id);
    },
    [onSelect],
  );
  // Once its size is known, and again when another graph is shown; not when a node is added to this one.
  const first = nodes[0]?.id;
  const isMeasured = width > 0 && height > 0;
  const start = useRef<Layout>(layout);
  start.current = layout;
  const entry = nodes.find(({ kind }) => kind === 'trigger')?.id ?? first;
  useEffect(() => {
    if (isMeasured && entry !== undefined) flow.current?.setViewport(startOf(start.current, entry, width, height));
  }, [isMeasured, entry, width, height]);
  // Chosen in a list beside it, a node may lie outside of what is seen.
  useEffect(() => {
    const place = selected === undefined ? undefined : start.current.nodes.get(selected);
    if (!place || !isMeasured || !flow.current) return;
    const { x, y, zoom } = flow.current.getViewport();
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const isSeen = left >= 0 && top >= 0 && left + NODE_WIDTH * zoom <= width && top + NODE_HEIGHT * zoom <= height;
    if (!isSeen) flow.current.setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom });
  }, [selected, isMeasured, width, height]);
  return (
    <section ref={ref} className={classes.canvas} aria-label={label} onKeyDown={editing && ((event) => pressed(event, nodes, editing))}>
      <ReactFlow<DrawnNode, DrawnEdge>
        nodes={shownNodes}
        edges={shownEdges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onInit={(instance) => {
          flow.current = instance;
        }}
        onNodesChange={changed}
        onPaneClick={() => onSelect(undefined)}
        onConnect={(connection: Connection) => editing?.connect(connection.source, connection.target)}
        isValidConnection={({ source, target }) => source !== target}
        nodesDraggable={false}
        nodesConnectable={canConnect}
        edgesFocusable={false}
        elementsSelectable
        deleteKeyCode={null}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        minZoom={MIN_ZOOM}
        maxZoom={1.5}
        panOnScroll
        onlyRenderVisibleElements
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={editing ? EDITING_WORDS : WORDS}
      >
        <Background gap={18} size={1} color="var(--console-dots)" />
        <Controls showInteractive={false} className={classes.controls} />
      </ReactFlow>
    </section>
  );
}

/** What is new is drawn a few frames later, and shown once its size is known. */
const MOST_FRAMES = 30;

/** Leads the keyboard to a node, once it is drawn. */
export function focusNode(id: string | undefined, frames = MOST_FRAMES): void {
  if (id === undefined || frames === 0) return;
  requestAnimationFrame(() => {
    const drawn = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    // The canvas moves by itself; scrolled by the browser, it would be where nobody put it.
    drawn?.focus({ preventScroll: true });
    // What is hidden takes no focus.
    if (!drawn || document.activeElement !== drawn) focusNode(id, frames - 1);
  });
}

function pressed(event: KeyboardEvent, nodes: Given['graph']['nodes'], { add, remove }: Editing): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  const id = target instanceof HTMLElement && target.classList.contains('react-flow__node') ? target.dataset.id : undefined;
  const node = nodes.find((one) => one.id === id);
  if (!node) return;
  if ((key === 'a' || key === 'A') && node.kind !== 'exit') {
    event.preventDefault();
    add(node.id);
  }
  // Where a run starts there is always a node.
  if ((key === 'Delete' || key === 'Backspace') && node.kind !== 'trigger') remove(node.id);
}

/** What is drawn last lies above. */
function wayLast(edges: readonly GraphEdge[], marks: Marks): GraphEdge[] {
  const isOnWay = (edge: GraphEdge): number => (marks.edges.get(edgeId(edge))?.isOnWay ? 1 : 0);
  return edges.toSorted((a, b) => isOnWay(a) - isOnWay(b));
}

/** All of a graph where that can be read; else its top, about where it begins. */
function startOf({ nodes, width, height }: Layout, entry: string, roomWidth: number, roomHeight: number): Viewport {
  const isNarrow = roomWidth < NARROW_ROOM;
  const padding = isNarrow ? NARROW_PADDING : PADDING;
  const byWidth = (roomWidth - 2 * padding) / width;
  const whole = Math.min(byWidth, (roomHeight - 2 * PADDING) / height);
  const readable = isNarrow ? Math.max(NARROW_ZOOM, Math.min(READABLE_ZOOM, byWidth)) : READABLE_ZOOM;
  const zoom = Math.min(1, Math.max(readable, whole));
  if (width * zoom <= roomWidth) return { x: (roomWidth - width * zoom) / 2, y: PADDING, zoom };
  const left = nodes.get(entry)?.x ?? 0;
  const middle = roomWidth / 2 - (left + NODE_WIDTH / 2) * zoom;
  // Cut at one side at most: from the leftmost column that is seen together with the beginning.
  const room = (roomWidth - 2 * padding) / zoom;
  const lefts = [...nodes.values()].map(({ x }) => x).filter((x) => x <= left && left + NODE_WIDTH - x <= room);
  return { x: isNarrow ? padding - Math.min(left, ...lefts) * zoom : middle, y: PADDING, zoom };
}
