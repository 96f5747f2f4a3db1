import { useMemo } from 'react';
import type { Editing } from '../graph/editing.ts';
import { AddStep } from './add-step.tsx';
import { connect, isEnd } from './graph-draft.ts';
import type { EditedGraph } from './use-edited-graph.ts';
import type { StepChanges } from './use-step-changes.ts';

interface Given {
  readonly edited: EditedGraph;
  readonly steps: StepChanges;
  readonly onSelect: (nodeId: string) => void;
  /** Opens the menu above the canvas that adds a step after the one that is selected. */
  readonly onAdd: () => void;
}

/** What the canvas calls, the same object for every draft. */
export function useCanvasEditing({ edited: { change, latest }, steps: { insert, remove, copy }, onSelect, onAdd }: Given): Editing {
  return useMemo(
    () => ({
      remove,
      copy,
      add(id) {
        onSelect(id);
        onAdd();
      },
      connect(from, to) {
        const joined = connect(latest.current, from, to);
        if (joined) change(joined);
        onSelect(from);
      },
      edgeAction: (edge, where) => (
        <AddStep label={`Add a step ${where}`} onAdd={(kind) => insert(edge, kind)} withoutEnd={isEnd(latest.current, edge.to)} />
      ),
    }),
    [change, latest, insert, remove, copy, onSelect, onAdd],
  );
}
