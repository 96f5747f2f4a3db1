import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { inTurns } from '../../api/in-turns.ts';

/** Where its pages lead back to. */
export const SEGMENT_LIST = { to: '/', label: 'Segments' };

/** `count` is absent where counting takes time: countQuery has it. */
export type Segment = Schemas['UncountedSegment'] & { readonly count?: number };
export type SegmentFilter = Schemas['SegmentFilter'];

/** All segment queries begin with it. */
export const SEGMENTS = ['segments'] as const;

/** Newest first. */
export function segmentsQuery() {
  return queryOptions({
    queryKey: SEGMENTS,
    async queryFn({ signal }): Promise<readonly Segment[]> {
      const { segments, uncounted = [] } = await answerOf(api.GET('/segments', { params: { query: { counts: 'kept' } }, signal }));
      return [...segments, ...uncounted].sort((one, other) => other.created_at.localeCompare(one.created_at));
    },
  });
}

export function segmentQuery(id: string) {
  return queryOptions({
    queryKey: [...SEGMENTS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/segments/{id}', { params: { path: { id } }, signal }))).segment,
  });
}

/** What of the project names it. */
export function usesQuery(id: string) {
  return queryOptions({
    queryKey: [...SEGMENTS, id, 'uses'],
    queryFn: ({ signal }) => answerOf(api.GET('/segments/{id}/uses', { params: { path: { id } }, signal })),
  });
}

/** Nothing was saved: somebody else has meanwhile. Theirs is what segmentQuery has then. */
export class SavedMeanwhile extends Error {}

/** Changes a segment, unless it is at another than `version` by now. Throws SavedMeanwhile, and Failure. */
export async function changeSegment(queries: QueryClient, id: string, body: Schemas['SegmentChange'], version: number): Promise<Segment> {
  try {
    const changed = api.PATCH('/segments/{id}', { params: { path: { id }, query: { ifVersion: version } }, body });
    return (await answerOf(changed)).segment;
  } catch (error) {
    if (asFailure(error).details.code !== 'version_conflict') throw error;
    await queries.fetchQuery({ ...segmentQuery(id), staleTime: 0 });
    throw new SavedMeanwhile();
  }
}

const countInTurn = inTurns();

/** How many are in a segment that the list does not count. */
export function countQuery(id: string) {
  return queryOptions({
    queryKey: [...SEGMENTS, id, 'count'],
    queryFn: ({ signal }) =>
      countInTurn(async () => {
        const { segment } = await answerOf(api.GET('/segments/{id}', { params: { path: { id } }, signal }));
        return segment.count;
      }, signal),
    staleTime: 60_000,
  });
}

/** How many a filter matches now, with some of them; `mailable`: and how many of them would get a campaign. */
/** `mailable`: those who would get a campaign of this topic, null: of none, are counted as well. */
export function previewQuery(filter: SegmentFilter, brand: string | null, mailable?: { readonly topic: string | null }) {
  return queryOptions({
    queryKey: [...SEGMENTS, 'preview', filter, brand, mailable ?? null],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/segments/preview', {
          body: { filter, brand, mailable: mailable !== undefined, topic: mailable?.topic ?? null },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
