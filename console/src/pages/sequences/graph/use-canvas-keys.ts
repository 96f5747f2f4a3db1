import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { GraphEdge, GraphNode } from '../sequence-queries.ts';
import type { Editing } from './editing.ts';
import type { Layout } from './layout.ts';
import { type Direction, neighbourOf } from './neighbour.ts';
import { focusNode, nodeAt, tabToWays } from './node-focus.ts';

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
};

interface Given {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly layout: Layout;
  readonly editing: Editing | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
  readonly bringIntoView: (nodeId: string) => void;
  /** Tells which node the keyboard came to. */
  readonly onFocus: (nodeId: string) => void;
}

interface CanvasKeys {
  readonly pressed: (event: KeyboardEvent) => void;
  readonly focused: (event: FocusEvent) => void;
  /** Leads the keyboard to a node, wherever it is. */
  readonly goTo: (nodeId: string) => void;
}

/** What the keyboard does on a canvas: from node to node, to their ways, and to a node whatever its editing allows. */
export function useCanvasKeys({ nodes, edges, layout, editing, onSelect, bringIntoView, onFocus }: Given): CanvasKeys {
  /** The way of the focus until it is there: keys that are pressed faster count from where it will be. */
  const headed = useRef<{ readonly from: string; readonly to: string }>(undefined);
  const go = (from: string | undefined, to: string | undefined): void => {
    if (to === undefined) return;
    headed.current = from === undefined ? undefined : { from, to };
    // Only what is seen is drawn, and only what is drawn takes the focus.
    bringIntoView(to);
    focusNode(to);
  };
  return {
    goTo: (id) => go(undefined, id),
    pressed(event) {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isPlain = !ctrlKey && !metaKey && !altKey;
      if (key === 'Tab' && isPlain) tabToWays(event);
      const at = isPlain ? nodeAt(event.target) : undefined;
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
    },
    focused({ target }) {
      headed.current = undefined;
      const id = nodeAt(target);
      if (id === undefined) return;
      onFocus(id);
      if (target.matches(':focus-visible')) bringIntoView(id);
    },
  };
}

/** The node that Tab leads to: where the keyboard was last, or what was selected since; where the graph begins as long as that is nowhere. */
export function useTabStop(selected: string | undefined, layout: Layout, entry: string | undefined) {
  const [last, setLast] = useState<string>();
  useEffect(() => {
    if (selected !== undefined) setLast(selected);
  }, [selected]);
  return { stop: last !== undefined && layout.nodes.has(last) ? last : entry, setLast };
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
