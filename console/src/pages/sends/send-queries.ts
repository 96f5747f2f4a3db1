import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';

export type Send = Schemas['SendLogEntry'];
export type SendWithEvents = Schemas['SendWithEvents'];

/** All send queries begin with it. */
export const SENDS = ['sends'] as const;

export type SendFilter = ListQuery<'/sends'>;

export function sendsQuery(query: SendFilter) {
  return queryOptions({
    queryKey: [...SENDS, query],
    queryFn: ({ signal }) => answerOf(api.GET('/sends', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** One that waits may go while somebody looks. */
const SCHEDULED_AGAIN_MS = 3_000;

export function sendQuery(id: string) {
  return queryOptions({
    queryKey: [...SENDS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/sends/{id}', { params: { path: { id } }, signal }))).send,
    refetchInterval: ({ state }) => state.data?.status === 'scheduled' && SCHEDULED_AGAIN_MS,
  });
}

/** The keys of the project's templates, for a filter. */
export function templateKeysQuery() {
  return queryOptions({
    queryKey: ['templates', 'keys'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/templates', { signal }))).templates.map(({ key }) => key),
    staleTime: 60_000,
  });
}

/** What became of a mail, in one word: the furthest that is known. */
export function stateOf({ status, delivery_status }: Pick<Send, 'status' | 'delivery_status'>): string {
  return status === 'sent' ? (delivery_status ?? 'sent') : status;
}
