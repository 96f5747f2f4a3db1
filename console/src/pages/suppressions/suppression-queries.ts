import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';

export type Suppression = Schemas['Suppression'];

/** All suppression queries begin with it. */
export const SUPPRESSIONS = ['suppressions'] as const;

const PAGE_ROWS = 50;

export type SuppressionFilter = ListQuery<'/suppressions'>;

/** A page of them, newest first. */
export function suppressionsQuery(query: SuppressionFilter) {
  return queryOptions({
    queryKey: [...SUPPRESSIONS, query],
    queryFn: ({ signal }) => answerOf(api.GET('/suppressions', { params: { query: { ...query, limit: PAGE_ROWS } }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** The suppression of one address, if there is one. */
export function suppressionOf(email: string) {
  return queryOptions({
    queryKey: [...SUPPRESSIONS, 'of', email],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/suppressions', { params: { query: { email } }, signal }))).suppressions[0] ?? null,
  });
}
