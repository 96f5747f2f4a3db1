import { useEffect, useState } from 'react';
import { useLeaveGuard } from '../../../frame/leave-guard.ts';
import { useSession } from '../../../session/session.tsx';
import { focusNode } from '../graph/node-focus.ts';
import { changedNode } from './graph-draft.ts';
import { keepUnfinished, type Unfinished, unfinishedOf } from './unfinished.ts';
import type { EditedGraph } from './use-edited-graph.ts';

interface LeftChanges {
  /** What was left here unsaved before, as long as it is offered. */
  readonly left: Unfinished | undefined;
  resume(unfinished: Unfinished): void;
  forget(unfinished: Unfinished): void;
}

/** Keeps changes that are not saved for the next visit, asks before the page is left with them, and offers those that were left before. */
export function useUnfinished(sequence: string, edited: EditedGraph): LeftChanges {
  const { base, setBase, draft, current, isChanged, replace } = edited;
  const { project } = useSession();
  const [left, setLeft] = useState(() => unfinishedOf(project.slug, sequence));
  useLeaveGuard(isChanged, true);
  useEffect(() => {
    if (isChanged) keepUnfinished(project.slug, sequence, { at: new Date().toISOString(), base, draft: current, earlier: left });
    else keepUnfinished(project.slug, sequence, left);
  }, [isChanged, current, base, left, project.slug, sequence]);
  return {
    left,
    resume({ base: began, draft: theirs, earlier }) {
      setBase(began);
      replace(theirs);
      setLeft(earlier);
      focusNode(changedNode(draft, theirs));
    },
    forget: ({ earlier }) => setLeft(earlier),
  };
}
