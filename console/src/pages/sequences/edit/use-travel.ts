import { useHotkeys } from '@mantine/hooks';
import { focusNode } from '../graph/node-focus.ts';
import { changedNode, type GraphDraft } from './graph-draft.ts';
import type { EditedGraph } from './use-edited-graph.ts';

/** Undoes, or does again. */
export type Travel = (go: (() => GraphDraft) | undefined) => void;

/** Undo and redo, by key too, each of which shows where it was. */
export function useTravel(edited: EditedGraph, selected: string | undefined, onSelect: (nodeId: string | undefined) => void): Travel {
  const { latest, text, undo, redo } = edited;
  const travel: Travel = (go) => {
    if (!go || text !== undefined) return;
    const before = latest.current;
    const to = go();
    const id = changedNode(before, to);
    if (id !== undefined) onSelect(id);
    else if (!to.nodes.some((one) => one.id === selected)) onSelect(undefined);
    // From a form, or a button, the keyboard is not taken away.
    if (isAtCanvas()) focusNode(id);
  };
  useHotkeys([
    ['mod+Z', () => travel(undo)],
    ['mod+shift+Z', () => travel(redo)],
    ['mod+Y', () => travel(redo)],
  ]);
  return travel;
}

/** Whether the keyboard is at a step, or nowhere: not in a form, and at no button. */
function isAtCanvas(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.matches('.react-flow__node');
}
