import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Issue } from '../../../api/failure.ts';
import { useLeaveGuard } from '../../../frame/leave-guard.ts';
import { type ContentDraft, draftOfContent, lackingIn } from '../content-draft.ts';
import {
  type Edition,
  type StoredContent,
  type Subjects,
  sentSubject,
  shownOf,
  shownSubject,
  templateContentQuery,
  versionsOf,
} from '../template-queries.ts';
import { type ContentHistory, NO_HISTORY, stepBack, stepForward, withChange, withStep } from './content-history.ts';
import { useSaveContent } from './use-save-content.ts';

interface Given {
  /** Its key. */
  readonly template: string;
  readonly edition: Edition;
  readonly stored: StoredContent;
  readonly subjects: Subjects;
  /** It cannot be saved before more is filled in. */
  readonly onLacking: () => void;
}

/** What a template says while it is edited. */
export interface EditedContent {
  /** What was typed, else what is saved. */
  readonly shown: ContentDraft;
  readonly isEdited: boolean;
  readonly subjects: Subjects;
  /** What has to be filled in before it can be saved. */
  readonly lacking: readonly Issue[];
  /** The same once saving was tried, so that it is said. */
  readonly toldLacking: readonly Issue[];
  /** The last call that saved, or could not. */
  readonly save: ReturnType<typeof useSaveContent>;
  readonly set: (change: Partial<ContentDraft>) => void;
  readonly discard: () => void;
  /** Takes the last change back; undefined: there is none. */
  readonly undo: (() => void) | undefined;
  /** Makes again what was taken back; undefined: nothing was. */
  readonly redo: (() => void) | undefined;
  readonly saveAs: (publish: boolean) => void;
  /** Saves it as the draft, for what shows what is saved; undefined: all is saved, or cannot be. */
  readonly saveDraft: (() => Promise<unknown>) | undefined;
  /** Saves over what someone else saved this template. */
  readonly replace: (theirs: StoredContent) => void;
  /** Goes on with what someone else saved this template. */
  readonly take: (theirs: StoredContent) => void;
}

export function useEditedContent({ template: key, edition, stored, subjects, onLacking }: Given): EditedContent {
  const [saved, setSaved] = useState<ContentDraft>(() => draftOfContent(shownOf(stored), shownSubject(stored, subjects)));
  /** What is edited began with it. */
  const [base, setBase] = useState(() => versionsOf(stored));
  const [edited, setEdited] = useState<ContentDraft>();
  const [history, setHistory] = useState(NO_HISTORY);
  const [isTried, setIsTried] = useState(false);
  const queries = useQueryClient();
  const save = useSaveContent({
    ...{ key, edition, ownSubject: subjects.own },
    onSaved: (what, versions) => {
      setSaved(what);
      setBase(versions);
      // What was typed while it was being saved stays.
      setEdited((now) => (now === what ? undefined : now));
    },
  });
  useLeaveGuard(edited !== undefined);
  const shown = edited ?? saved;
  const lacking = lackingIn(shown.blocks);
  if (isTried && lacking.length === 0) setIsTried(false);
  const sent = sentSubject(stored, subjects);
  const put = (draft: ContentDraft): void => setEdited(draft === saved ? undefined : draft);
  const go = (past: ContentHistory, draft: ContentDraft): void => {
    setHistory(past);
    put(draft);
  };
  const change = (draft: ContentDraft): void => go(withChange(history, shown, draft, Date.now()), draft);
  const step = (to: ReturnType<typeof stepBack>): (() => void) | undefined => to && (() => go(...to));
  return {
    ...{ shown, isEdited: edited !== undefined, subjects, lacking, save },
    toldLacking: isTried ? lacking : [],
    set: (changed) => change({ ...shown, ...changed }),
    discard: () => go(withStep(history, shown), saved),
    undo: step(stepBack(history, shown)),
    redo: step(stepForward(history, shown)),
    saveAs(publish) {
      setIsTried(lacking.length > 0);
      if (lacking.length === 0) save.mutate({ draft: shown, publish, base, sent });
      else onLacking();
    },
    saveDraft: edited && lacking.length === 0 ? () => save.mutateAsync({ draft: edited, publish: false, base, sent }) : undefined,
    replace(theirs) {
      if (save.variables) save.mutate({ ...save.variables, draft: shown, base: versionsOf(theirs), sent: sentSubject(theirs, subjects) });
    },
    take(theirs) {
      setSaved(draftOfContent(shownOf(theirs), shownSubject(theirs, subjects)));
      setBase(versionsOf(theirs));
      setEdited(undefined);
      save.reset();
      queries.setQueryData(templateContentQuery(key, edition).queryKey, theirs);
    },
  };
}
