import { useElementSize } from '@mantine/hooks';
import type { ReactFlowInstance } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DrawnEdge } from './graph-edge.tsx';
import type { DrawnNode } from './graph-node.tsx';
import { type Layout, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import { isSeen, startOf, viewOf } from './viewport.ts';

export type Flow = ReactFlowInstance<DrawnNode, DrawnEdge>;

interface Given {
  readonly layout: Layout;
  /** The node where the graph begins. */
  readonly entry: string | undefined;
  /** Nodes that are brought into view together, when they are others than before. */
  readonly way: readonly string[] | undefined;
  /** The graph is looked at, not changed. */
  readonly isToRead: boolean;
}

interface CanvasViewport {
  /** Of the element that the graph is seen in. */
  readonly ref: (element: HTMLDivElement | null) => void;
  readonly flow: RefObject<Flow | undefined>;
  readonly onInit: (flow: Flow) => void;
  /** Does nothing where all of the node is seen already. */
  readonly bringIntoView: (nodeId: string | undefined) => void;
}

/** Which part of a graph is seen: its beginning, then what the user moves to, and the nodes that are brought into view. */
export function useViewport({ layout, entry, way, isToRead }: Given): CanvasViewport {
  const { ref, width, height } = useElementSize();
  const flow = useRef<Flow>(undefined);
  /** It can be moved: it says so later than its size is known, or earlier. */
  const [isReady, setIsReady] = useState(false);
  const onInit = useCallback((instance: Flow) => {
    flow.current = instance;
    setIsReady(true);
  }, []);
  const isMeasured = isReady && width > 0 && height > 0;
  const latest = useRef<Layout>(layout);
  latest.current = layout;
  // Once its size is known, and again when another graph is shown; not when a node is added to this one.
  useEffect(() => {
    if (isMeasured && entry !== undefined) flow.current?.setViewport(startOf(latest.current, entry, { width, height, isToRead }));
  }, [isMeasured, entry, width, height, isToRead]);
  useStandingEntry(flow, layout, entry);
  useEffect(() => {
    const places = (way ?? []).flatMap((id) => latest.current.nodes.get(id) ?? []);
    if (!isMeasured || !flow.current) return;
    const viewport = flow.current.getViewport();
    if (places.some((place) => !isSeen(place, viewport, width, height))) flow.current.setViewport(viewOf(places, width, height));
  }, [way, isMeasured, width, height]);
  const bringIntoView = useCallback(
    (id: string | undefined) => {
      const place = id === undefined ? undefined : latest.current.nodes.get(id);
      if (!place || !isMeasured || !flow.current) return;
      const viewport = flow.current.getViewport();
      if (isSeen(place, viewport, width, height)) return;
      flow.current.setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: viewport.zoom });
    },
    [isMeasured, width, height],
  );
  return { ref, flow, onInit, bringIntoView };
}

/** Where a graph begins, as it was laid out. */
interface Placed {
  readonly entry: string;
  readonly x: number;
}

/** A graph that gets wider moves all its nodes; where it begins stays where it is seen. */
function useStandingEntry(flow: RefObject<Flow | undefined>, layout: Layout, entry: string | undefined): void {
  const before = useRef<Placed>(undefined);
  useLayoutEffect(() => {
    const place = entry === undefined ? undefined : layout.nodes.get(entry);
    const old = before.current;
    before.current = place && entry !== undefined ? { entry, x: place.x } : undefined;
    if (!place || !old || old.entry !== entry || old.x === place.x || !flow.current) return;
    const { x, y, zoom } = flow.current.getViewport();
    flow.current.setViewport({ x: x + (old.x - place.x) * zoom, y, zoom });
  }, [flow, layout, entry]);
}
