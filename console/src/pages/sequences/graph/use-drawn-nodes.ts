import { useMemo } from 'react';
import type { GraphNode } from '../sequence-queries.ts';
import type { DrawnNode } from './graph-node.tsx';
import { type Layout, NODE_HEIGHT, NODE_WIDTH } from './layout.ts';
import type { Marks } from './marks.ts';
import type { Triggers } from './node-kinds.ts';
import { nodeWords, whatHappens } from './node-words.ts';
import { useUnchanged } from './unchanged.ts';

/** One node alone is a stop of the key Tab; arrow keys lead to the others. */
const STOP = { tabIndex: 0 } as const;
const NO_STOP = { tabIndex: -1 } as const;
const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT } as const;

interface Given {
  readonly nodes: readonly GraphNode[];
  readonly triggers: Triggers;
  readonly layout: Layout;
  readonly marks: Marks;
  readonly canConnect: boolean;
  readonly selected: string | undefined;
  /** The node that Tab leads to. */
  readonly stop: string | undefined;
}

/** The nodes as React Flow draws them; one that looks as before is the same object, so that it is not drawn again. */
export function useDrawnNodes({ nodes, triggers, layout, marks, canConnect, selected, stop }: Given): DrawnNode[] {
  const drawn = useMemo(
    () =>
      nodes.map((node): DrawnNode => {
        const words = nodeWords(node, triggers);
        const says = node.label ? whatHappens(node, triggers) : undefined;
        const mark = marks.nodes.get(node.id);
        return {
          id: node.id,
          type: 'step',
          position: layout.nodes.get(node.id) ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          // Else its edges go, with the button at each, until it is measured anew: at each letter that is typed in its form.
          measured: SIZE,
          data: { node, words, says, mark, canConnect },
          ariaRole: 'button',
          domAttributes: NO_STOP,
        };
      }),
    [nodes, triggers, layout, marks, canConnect],
  );
  const same = useUnchanged(drawn);
  return useMemo(
    () =>
      same.map((node) => {
        const isSelected = node.id === selected;
        // What is dragged is drawn wherever it is: the one that Tab leads to has to be there, also where it is not seen.
        if (node.id === stop) return { ...node, selected: isSelected, domAttributes: STOP, dragging: true };
        return isSelected ? { ...node, selected: true } : node;
      }),
    [same, selected, stop],
  );
}
