import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { SequenceGraph } from '../sequence-queries.ts';
import { noteProblemsAgain } from './form-problems.ts';
import { asText, draftOf, type GraphDraft, graphIn } from './graph-draft.ts';
import { type History, useHistory } from './history.ts';

/** A graph that is edited, on the canvas or as JSON. */
export interface EditedGraph extends Pick<History<GraphDraft>, 'change' | 'undo' | 'redo'> {
  /** What it began with: nobody's change replaces it under the hands of who edits. */
  readonly base: SequenceGraph;
  readonly setBase: (base: SequenceGraph) => void;
  /** On the canvas. */
  readonly draft: GraphDraft;
  /** The same, for functions that stay the same ones from draft to draft. */
  readonly latest: RefObject<GraphDraft>;
  /** The JSON as typed, while that is what is edited. */
  readonly text: string | undefined;
  readonly setText: (text: string) => void;
  /** Why the JSON is no graph. */
  readonly textFault: string | undefined;
  /** The canvas or the JSON: what would be saved. */
  readonly current: GraphDraft;
  readonly isChanged: boolean;
  show(view: View): void;
  /** Another graph, as one change. */
  replace(draft: GraphDraft): void;
  /** What is stored, with nothing to undo. */
  restart(stored: SequenceGraph): void;
}

export type View = 'canvas' | 'json';

/** `start`: an earlier version that is to be brought back, which is the first change. */
export function useEditedGraph(graph: SequenceGraph, start: SequenceGraph | undefined): EditedGraph {
  const [base, setBase] = useState(graph);
  const { now: draft, change, undo, redo, reset } = useHistory(draftOf(base));
  useEffect(() => {
    if (start) change(draftOf(start), `version ${start.version}`);
  }, [start, change]);
  const [text, setText] = useState<string>();
  const typed = useMemo(() => {
    const read = text === undefined ? undefined : graphIn(text);
    if (read && 'draft' in read) noteProblemsAgain(draft, read.draft);
    return read;
  }, [text, draft]);
  const latest = useRef(draft);
  latest.current = draft;
  const type = (now: GraphDraft): void => {
    if (text !== undefined) setText(asText(now));
  };
  return {
    ...{ base, setBase, draft, latest, change, undo, redo, text, setText },
    textFault: typed && 'problem' in typed ? typed.problem : undefined,
    current: typed && 'draft' in typed ? typed.draft : draft,
    isChanged: text === undefined ? undo !== undefined : text !== asText(draftOf(base)),
    show(view) {
      if (view === 'json') setText(asText(draft));
      else if (typed && 'draft' in typed) {
        if (text !== asText(draft)) change(typed.draft);
        setText(undefined);
      }
    },
    replace(other) {
      change(other);
      type(other);
    },
    restart(stored) {
      reset(draftOf(stored));
      type(draftOf(stored));
    },
  };
}
