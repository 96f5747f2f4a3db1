import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export type Segment = Schemas['Segment'];
export type SegmentFilter = Schemas['SegmentFilter'];

/** All segment queries begin with it. */
export const SEGMENTS = ['segments'] as const;

export function segmentsQuery() {
  return queryOptions({
    queryKey: SEGMENTS,
    queryFn: async ({ signal }) => (await answerOf(api.GET('/segments', { signal }))).segments,
  });
}

export function segmentQuery(id: string) {
  return queryOptions({
    queryKey: [...SEGMENTS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/segments/{id}', { params: { path: { id } }, signal }))).segment,
  });
}

/** How many a filter matches now, with some of them. */
export function previewQuery(filter: SegmentFilter, brand: string | null) {
  return queryOptions({
    queryKey: [...SEGMENTS, 'preview', filter, brand],
    queryFn: ({ signal }) => answerOf(api.POST('/segments/preview', { body: { filter, brand }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
