import '@xyflow/react/dist/base.css';
import { useElementSize } from '@mantine/hooks';
import { Background, type Connection, MarkerType, type NodeChange, ReactFlow, type ReactFlowInstance, type Viewport } from '@xyflow/react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { SequenceGraph } from '../sequence-queries.ts';
import { CanvasTools } from './canvas-tools.tsx';
import classes from './graph.module.css';
import { type DrawnEdge, GraphEdgeLine } from './graph-edge.tsx';
import { type DrawnNode, GraphNodeCard } from './graph-node.tsx';
import { edgeId, type Layout, layoutOf, NODE_HEIGHT, NODE_WIDTH, type Point } from './layout.ts';
import type { Marks } from './marks.ts';
import { type Direction, neighbourOf } from './neighbour.ts';
import { type GraphEdge, type GraphNode, nodeWords, outcomeWords } from './node-words.ts';
import { useUnchanged } from './unchanged.ts';

const NODE_TYPES = { step: GraphNodeCard };
const EDGE_TYPES = { way: GraphEdgeLine };
const ARROW = { type: MarkerType.ArrowClosed, width: 14, height: 14 } as const;
const WAY_ARROW = { ...ARROW, color: 'var(--console-way)' } as const;
/** Nodes stay where they are laid out. */
const WORDS = { 'node.a11yDescription.default': 'Press Enter to see this step, an arrow key to go to the next one.' };
const EDITING_WORDS = {
  'node.a11yDescription.default':
    'Press Enter to change this step, A to add one after it, Tab to choose on which way, D for a copy of it, Delete to take it out, an arrow key to go to the next one.',
};
/** One node alone is a stop of the key Tab; arrow keys lead to the others. */
const STOP = { tabIndex: 0 } as const;
const NO_STOP = { tabIndex: -1 } as const;
const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT } as const;
const MIN_ZOOM = 0.15;
/** Below it letters have less than 11 px, so a graph that is larger is shown from its top. */
const READABLE_ZOOM = 0.85;
/** A way that is longer is shown from its beginning. */
const LEAST_WAY_ZOOM = 0.5;
/** A larger graph has a search for its steps. */
const MOST_WITHOUT_SEARCH = 20;
const PADDING = 16;
/** Where there is little room. */
const LEAST_PADDING = 3;

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

/** Where a graph begins, as it was laid out. */
interface Placed {
  readonly entry: string;
  readonly x: number;
}

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
  const { ref, width, height } = useElementSize();
  const flow = useRef<ReactFlowInstance<DrawnNode, DrawnEdge>>(undefined);
  /** It can be moved: it says so later than its size is known, or earlier. */
  const [isReady, setIsReady] = useState(false);
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
          // Else its edges go, with the button at each, until it is measured anew: at each letter that is typed in its form.
          measured: SIZE,
          data: { node, words, mark, canConnect },
          ariaRole: 'button',
          domAttributes: NO_STOP,
        };
      }),
    [nodes, triggers, layout, marks, canConnect],
  );
  const sameNodes = useUnchanged(drawnNodes);
  const first = nodes[0]?.id;
  const entry = nodes.find(({ kind }) => kind === 'trigger')?.id ?? first;
  /** Where the keyboard was last. */
  const [last, setLast] = useState<string>();
  useEffect(() => {
    if (selected !== undefined) setLast(selected);
  }, [selected]);
  const stop = last !== undefined && layout.nodes.has(last) ? last : entry;
  const shownNodes = useMemo(
    () =>
      sameNodes.map((node) => {
        const isSelected = node.id === selected;
        // What is dragged is drawn wherever it is: the one that Tab leads to has to be there, also where it is not seen.
        if (node.id === stop) return { ...node, selected: isSelected, domAttributes: STOP, dragging: true };
        return isSelected ? { ...node, selected: true } : node;
      }),
    [sameNodes, selected, stop],
  );
  const edgeAction = editing?.edgeAction;
  const drawnEdges = useMemo(() => {
    const wordsOf = new Map(nodes.map((node) => [node.id, nodeWords(node, triggers)]));
    return wayLast(edges, marks).flatMap((edge): DrawnEdge[] => {
      const id = edgeId(edge);
      const way = layout.ways.get(id);
      if (!way) return [];
      const mark = marks.edges.get(id);
      const on = edge.branchKey === undefined ? '' : `, on ${outcomeWords(edge.branchKey)}`;
      const passed = mark?.passed === undefined ? '' : `, ${mark.passed.toLocaleString('en')} passed`;
      return [
        {
          id,
          type: 'way',
          source: edge.from,
          target: edge.to,
          data: { edge, way, label: layout.labels.get(id), mark, where: `after ${wordsOf.get(edge.from)}${on}`, action: edgeAction },
          markerEnd: mark?.isOnWay ? WAY_ARROW : ARROW,
          ariaLabel: `From ${wordsOf.get(edge.from)} to ${wordsOf.get(edge.to)}${on}${passed}`,
          focusable: false,
        },
      ];
    });
  }, [nodes, triggers, edges, layout, marks, edgeAction]);
  const shownEdges = useUnchanged(drawnEdges);
  const changed = useCallback(
    (changes: NodeChange<DrawnNode>[]) => {
      const picked = changes.find((change) => change.type === 'select' && change.selected);
      if (picked?.type === 'select') onSelect(picked.id);
    },
    [onSelect],
  );
  // Once its size is known, and again when another graph is shown; not when a node is added to this one.
  const isMeasured = isReady && width > 0 && height > 0;
  const start = useRef<Layout>(layout);
  start.current = layout;
  useEffect(() => {
    if (isMeasured && entry !== undefined) flow.current?.setViewport(startOf(start.current, entry, width, height));
  }, [isMeasured, entry, width, height]);
  // A graph that gets wider moves all its nodes; where it begins stays where it is seen.
  const before = useRef<Placed>(undefined);
  useLayoutEffect(() => {
    const place = entry === undefined ? undefined : layout.nodes.get(entry);
    const old = before.current;
    before.current = place && entry !== undefined ? { entry, x: place.x } : undefined;
    if (!place || !old || old.entry !== entry || old.x === place.x || !flow.current) return;
    const { x, y, zoom } = flow.current.getViewport();
    flow.current.setViewport({ x: x + (old.x - place.x) * zoom, y, zoom });
  }, [layout, entry]);
  useEffect(() => {
    const places = (way ?? []).flatMap((id) => start.current.nodes.get(id) ?? []);
    if (!isMeasured || !flow.current) return;
    const viewport = flow.current.getViewport();
    if (places.some((place) => !isSeen(place, viewport, width, height))) flow.current.setViewport(viewOf(places, width, height));
  }, [way, isMeasured, width, height]);
  /** Nothing where all of the node is seen already. */
  const bringIntoView = useCallback(
    (id: string | undefined) => {
      const place = id === undefined ? undefined : start.current.nodes.get(id);
      if (!place || !isMeasured || !flow.current) return;
      const viewport = flow.current.getViewport();
      if (isSeen(place, viewport, width, height)) return;
      flow.current.setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: viewport.zoom });
    },
    [isMeasured, width, height],
  );
  // Chosen in a list beside it, a node may lie outside of what is seen.
  useEffect(() => bringIntoView(selected), [selected, bringIntoView]);
  /** The way of the focus until it is there: keys that are pressed faster count from where it will be. */
  const headed = useRef<{ readonly from: string; readonly to: string }>(undefined);
  const pressed = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key === 'Tab' && !ctrlKey && !metaKey && !altKey) tabbed(event);
    const at = ctrlKey || metaKey || altKey ? undefined : nodeAt(event.target);
    const id = at !== undefined && headed.current?.from === at ? headed.current.to : at;
    const node = nodes.find((one) => one.id === id);
    if (!node) return;
    const direction = DIRECTIONS[key];
    const act = direction ? () => go(at, neighbourOf(direction, node.id, layout, edges)) : actionOf(key, node, editing);
    // The canvas would take the focus away from the node, and leave it nowhere.
    if (!act && key !== 'Escape') return;
    event.preventDefault();
    // What a key opens would be closed by the same key, as one that was pressed outside of it.
    event.stopPropagation();
    if (act) act();
    else onSelect(undefined);
  };
  const go = (from: string | undefined, to: string | undefined): void => {
    if (to === undefined) return;
    headed.current = from === undefined ? undefined : { from, to };
    // Only what is seen is drawn, and only what is drawn takes the focus.
    bringIntoView(to);
    focusNode(to);
  };
  const focused = ({ target }: FocusEvent): void => {
    headed.current = undefined;
    const id = nodeAt(target);
    if (id === undefined) return;
    setLast(id);
    if (target.matches(':focus-visible')) bringIntoView(id);
  };
  const isLarge = nodes.length > MOST_WITHOUT_SEARCH;
  const steps = useMemo(
    () => (isLarge ? nodes.map((node) => ({ value: node.id, label: `${nodeWords(node, triggers)} (${node.id})` })) : undefined),
    [isLarge, nodes, triggers],
  );
  return (
    <section className={classes.canvas} aria-label={label} onKeyDownCapture={pressed} onFocus={focused}>
      <div ref={ref} className={classes.view}>
        <ReactFlow<DrawnNode, DrawnEdge>
          nodes={shownNodes}
          edges={shownEdges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onInit={(instance) => {
            flow.current = instance;
            setIsReady(true);
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
          // It leaves a node that is seen in part where it is.
          autoPanOnNodeFocus={false}
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
        </ReactFlow>
      </div>
      <CanvasTools
        flow={flow}
        steps={steps}
        hint={editing ? 'On a step A adds one, D copies it; pull to connect' : undefined}
        onStep={(id) => {
          onSelect(id);
          go(undefined, id);
        }}
      />
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

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
};

/** From a node to the buttons at its ways, from one of them to the next, and from the last of them to what follows the canvas; likewise back. */
function tabbed(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement)) return;
  const id = nodeAt(event.target);
  const from = id ?? event.target.closest<HTMLElement>('[data-ways-of]')?.dataset.waysOf;
  if (from === undefined || (id !== undefined && event.shiftKey)) return;
  const node = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(from)}"]`);
  const left = (button: HTMLElement): number => button.getBoundingClientRect().left;
  // As they are seen, rather than as they came to be.
  const buttons = [...document.querySelectorAll<HTMLElement>(`[data-ways-of="${CSS.escape(from)}"] button`)].toSorted(
    (a, b) => left(a) - left(b),
  );
  const place = buttons.indexOf(event.target) + (event.shiftKey ? -1 : 1);
  const next = place < 0 ? node : buttons[place];
  // Else the browser goes on from the node, which comes after its ways.
  (next ?? node)?.focus({ preventScroll: true });
  if (next) event.preventDefault();
}

/** The node that the keyboard is at; undefined where it is at something else, within a node too. */
function nodeAt(target: EventTarget): string | undefined {
  return target instanceof HTMLElement && target.classList.contains('react-flow__node') ? target.dataset.id : undefined;
}

/** What a key does to a node while the graph is edited. */
function actionOf(key: string, { id, kind }: GraphNode, editing: Editing | undefined): (() => void) | undefined {
  if (!editing) return undefined;
  if ((key === 'a' || key === 'A') && kind !== 'exit') return () => editing.add(id);
  // Where a run starts there is always a node, and one alone.
  if (kind === 'trigger') return undefined;
  if (key === 'd' || key === 'D') return () => editing.copy(id);
  return key === 'Delete' || key === 'Backspace' ? () => editing.remove(id) : undefined;
}

/** What is drawn last lies above. */
function wayLast(edges: readonly GraphEdge[], marks: Marks): GraphEdge[] {
  const isOnWay = (edge: GraphEdge): number => (marks.edges.get(edgeId(edge))?.isOnWay ? 1 : 0);
  return edges.toSorted((a, b) => isOnWay(a) - isOnWay(b));
}

/** Whether all of a node is. */
function isSeen({ x, y }: Point, viewport: Viewport, roomWidth: number, roomHeight: number): boolean {
  const left = x * viewport.zoom + viewport.x;
  const top = y * viewport.zoom + viewport.y;
  const [right, bottom] = [left + NODE_WIDTH * viewport.zoom, top + NODE_HEIGHT * viewport.zoom];
  return left >= 0 && top >= 0 && right <= roomWidth && bottom <= roomHeight;
}

/** All of a way, as long as it does not become too small; else its beginning. */
function viewOf(places: readonly Point[], roomWidth: number, roomHeight: number): Viewport {
  const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
  const width = Math.max(...places.map(({ x }) => x)) + NODE_WIDTH - left;
  const height = Math.max(...places.map(({ y }) => y)) + NODE_HEIGHT - top;
  const whole = Math.min((roomWidth - 2 * PADDING) / width, (roomHeight - 2 * PADDING) / height);
  const zoom = Math.min(1, Math.max(LEAST_WAY_ZOOM, whole));
  const middle = width * zoom <= roomWidth ? left + width / 2 : (places[0]?.x ?? left) + NODE_WIDTH / 2;
  const y = height * zoom <= roomHeight ? (roomHeight - height * zoom) / 2 : PADDING;
  return { x: roomWidth / 2 - middle * zoom, y: y - top * zoom, zoom };
}

/** All of a graph where that can be read; else its top, with all of the node where it begins: what is cut there shows that there is more. */
function startOf({ nodes, width, height }: Layout, entry: string, roomWidth: number, roomHeight: number): Viewport {
  const whole = Math.min((roomWidth - 2 * PADDING) / width, (roomHeight - 2 * PADDING) / height);
  const zoom = Math.min(1, Math.max(READABLE_ZOOM, whole));
  if (width * zoom <= roomWidth) return { x: (roomWidth - width * zoom) / 2, y: PADDING, zoom };
  const begin = nodes.get(entry)?.x ?? 0;
  const centred = begin + NODE_WIDTH / 2 - roomWidth / zoom / 2;
  /** From a column on, up to the end of the node where it begins. */
  const neededFrom = (left: number): number => (begin + NODE_WIDTH - left) * zoom + 2 * LEAST_PADDING;
  const tops = [...nodes.values()].filter(({ y }) => PADDING + y * zoom < roomHeight);
  // Better a column that is whole, and another that is cut, than two that are.
  const columns = tops.map(({ x }) => x).filter((x) => x < begin && neededFrom(x) <= roomWidth);
  const [nearest] = columns.toSorted((a, b) => Math.abs(a - centred) - Math.abs(b - centred));
  if (nearest !== undefined) {
    const padding = Math.min(PADDING, LEAST_PADDING + roomWidth - neededFrom(nearest));
    return { x: padding - nearest * zoom, y: PADDING, zoom };
  }
  const last = width - (roomWidth - PADDING) / zoom;
  return { x: -Math.max(-PADDING / zoom, Math.min(centred, last)) * zoom, y: PADDING, zoom };
}
