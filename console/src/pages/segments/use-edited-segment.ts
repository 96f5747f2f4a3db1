import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { asFailure } from '../../api/failure.ts';
import { notifyDone } from '../../show/notify.ts';
import { draftOfSegment, type SegmentDraft, segmentChanges } from './segment-draft.ts';
import { changeSegment, SEGMENTS, type Segment, segmentQuery } from './segment-queries.ts';

/** What is typed, and what it began with. */
interface Edited {
  readonly draft: SegmentDraft;
  readonly base: Segment;
}

/** Edits and saves a segment, whatever others make of it meanwhile. */
export function useEditedSegment(segment: Segment) {
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Edited>();
  // What is edited is what was there at the start: nobody's change replaces it under the hands of who edits.
  const base = edited?.base ?? segment;
  const stored = useMemo(() => draftOfSegment(base), [base.id, base.version]);
  const draft = edited?.draft ?? stored;
  const edit = (changed: SegmentDraft): void => setEdited({ draft: changed, base });
  const save = useMutation({
    mutationFn: ({ draft: given, base: from, version }: Edited & { readonly version: number }) =>
      changeSegment(queries, segment.id, segmentChanges(given, from), version),
    onSuccess: async (changed, { draft: given }) => {
      notifyDone(`${changed.label} saved`);
      queries.setQueryData(segmentQuery(segment.id).queryKey, (before) => before && { ...before, ...changed });
      // Only what was saved: more may have been typed meanwhile.
      setEdited((now) => (now === undefined || now.draft === given ? undefined : { draft: now.draft, base: changed }));
      await queries.invalidateQueries({ queryKey: SEGMENTS });
    },
  });
  const isDeleted = save.error !== null && asFailure(save.error).kind === 'missing';
  const saveOver = (version: number): void => {
    if (edited) save.mutate({ ...edited, version });
  };
  const isLate = segment.version !== base.version && !save.isPending;
  const discard = (): void => {
    setEdited(undefined);
    save.reset();
    // Nothing of a deleted one is left to show.
    if (isDeleted) void queries.resetQueries({ queryKey: segmentQuery(segment.id).queryKey });
  };
  return {
    ...{ base, draft, edit, save, discard, isDeleted },
    isEdited: edited !== undefined,
    /** Saves what was edited as the version after that one. */
    saveOver,
    /** Others have changed it since. */
    isLate,
  };
}
