import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { notifyDone } from '../../show/notify.ts';
import { filterOf, type SegmentDraft } from './segment-draft.ts';
import { SEGMENTS } from './segment-queries.ts';

/** Makes a segment of what is typed, and goes to it. */
export function useCreateSegment() {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (draft: SegmentDraft) =>
      answerOf(api.POST('/segments', { body: { label: draft.label, filter: filterOf(draft).filter, brand: draft.brand } })),
    onSuccess: async ({ segment }) => {
      notifyDone(`${segment.label} saved`);
      await queries.invalidateQueries({ queryKey: SEGMENTS });
      navigate(`/${segment.id}`, { replace: true });
    },
  });
}
