import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export type Contact = Schemas['Contact'];
export type ContactWithConsent = Schemas['ContactWithConsent'];
export type TimelineEntry = Schemas['TimelineEntry'];

/** All contact queries begin with it. */
export const CONTACTS = ['contacts'] as const;

export interface ContactFilter {
  readonly q?: string;
  readonly status?: Contact['status'];
  readonly tag?: string;
  readonly cursor?: string;
  readonly direction?: 'previous';
}

export function contactsQuery(query: ContactFilter) {
  return queryOptions({
    queryKey: [...CONTACTS, query],
    queryFn: ({ signal }) => answerOf(api.GET('/contacts', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function contactQuery(id: string) {
  return queryOptions({
    queryKey: [...CONTACTS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/contacts/{id}', { params: { path: { id } }, signal }))).contact,
  });
}

export function timelineQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...CONTACTS, id, 'timeline'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answerOf(api.GET('/contacts/{id}/timeline', { params: { path: { id }, query: pageParam ? { cursor: pageParam } : {} }, signal })),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** How a contact is called: its display name, or first and last; '' when it has none. */
export function nameOf({ display_name, first_name, last_name }: Pick<Contact, 'display_name' | 'first_name' | 'last_name'>): string {
  return display_name ?? [first_name, last_name].filter(Boolean).join(' ');
}
