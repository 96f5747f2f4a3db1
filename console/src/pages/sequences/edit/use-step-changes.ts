import { useCallback, useState } from 'react';
import { focusNode } from '../graph/node-focus.ts';
import type { NodeKind } from '../graph/node-kinds.ts';
import type { GraphEdge, GraphNode } from '../sequence-queries.ts';
import { isFork } from './delete-fork.tsx';
import { copyOf, cutOff, type GraphDraft, insertAfter, type Made, nearTo, withoutNode } from './graph-draft.ts';
import type { EditedGraph } from './use-edited-graph.ts';

/** An end that is put before steps, which no way would lead to any more. */
export interface Ending extends Made {
  readonly behind: readonly GraphNode[];
}

/** What is asked before steps go that nobody has named. */
export type StepQuestion = { readonly ending: Ending } | { readonly deleting: string };

export interface StepChanges {
  /** On the way from an outcome to where it led. */
  readonly insert: (edge: Pick<GraphEdge, 'from' | 'branchKey'>, kind: NodeKind) => void;
  readonly copy: (nodeId: string) => void;
  readonly remove: (nodeId: string) => void;
  readonly question: StepQuestion | undefined;
  readonly closeQuestion: () => void;
  /** A graph with a step that is new in it. */
  readonly take: (made: Made) => void;
  /** The graph that is left without a step. */
  readonly leave: (nodeId: string, left: GraphDraft) => void;
}

/**
 * Steps that are added, copied and taken out; the selection and the keyboard follow. The functions are the same ones for every draft: a letter typed in
 * one step draws that step alone.
 */
export function useStepChanges({ change, latest }: EditedGraph, onSelect: (nodeId: string | undefined) => void): StepChanges {
  const [question, setQuestion] = useState<StepQuestion>();
  const closeQuestion = useCallback(() => setQuestion(undefined), []);
  const take = useCallback(
    (made: Made) => {
      change(made.draft);
      onSelect(made.id);
      focusNode(made.id);
    },
    [change, onSelect],
  );
  const insert = useCallback<StepChanges['insert']>(
    (edge, kind) => {
      const made = insertAfter(latest.current, edge.from, edge.branchKey, kind);
      const behind = cutOff(latest.current, made.draft);
      if (behind.length > 0) setQuestion({ ending: { ...made, behind } });
      else take(made);
    },
    [latest, take],
  );
  const leave = useCallback(
    (id: string, left: GraphDraft) => {
      change(left);
      onSelect(undefined);
      focusNode(nearTo(latest.current, id, left));
    },
    [change, latest, onSelect],
  );
  const remove = useCallback(
    (id: string) => {
      if (isFork(latest.current, id)) setQuestion({ deleting: id });
      else leave(id, withoutNode(latest.current, id));
    },
    [latest, leave],
  );
  const copy = useCallback(
    (id: string) => {
      const made = copyOf(latest.current, id);
      if (made) take(made);
    },
    [latest, take],
  );
  return { insert, copy, remove, question, closeQuestion, take, leave };
}
