import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

/** Where its pages lead back to. */
export const CONTACT_LIST = { to: '/', label: 'Contacts' };

export type Contact = Schemas['Contact'];
/** One of a list, with why its address gets no mail. */
export type ListedContact = Schemas['ListedContact'];
export type ContactWithConsent = Schemas['ContactWithConsent'];
export type TimelineEntry = Schemas['TimelineEntry'];
/** Those that one may be given when it is made here; the others come of what happens to it. */
export type NewContactStatus = Extract<Contact['status'], 'subscribed' | 'pending'>;

/** All contact queries begin with it. */
export const CONTACTS = ['contacts'] as const;

export interface ContactFilter {
  readonly q?: string;
  readonly status?: Contact['status'];
  readonly tag?: string;
  /** Only those in it now, by its id; such a list is read forwards and has no count. */
  readonly segment?: string;
  readonly cursor?: string;
  readonly direction?: 'previous';
}

interface ContactPage {
  readonly contacts: readonly ListedContact[];
  /** null: it takes time, and is asked for apart. */
  readonly totalCount?: number | null;
  readonly nextCursor: string | null;
  readonly previousCursor?: string | null;
}

export function contactsQuery(query: ContactFilter) {
  const { segment: id, direction, ...narrowed } = query;
  return queryOptions({
    queryKey: [...CONTACTS, query],
    queryFn: ({ signal }): Promise<ContactPage> =>
      id
        ? answerOf(api.GET('/segments/{id}/contacts', { params: { path: { id }, query: narrowed }, signal }))
        : answerOf(
            api.GET('/contacts', { params: { query: { ...narrowed, counts: 'kept', ...(direction ? { direction } : {}) } }, signal }),
          ),
    placeholderData: keepPreviousData,
  });
}

/** Whoever searches on meanwhile has nothing counted, which may take the database longer than the rows do. */
const BEFORE_COUNT_MS = 500;

/** How many a search finds, where the list does not say it. */
export function totalQuery(filter: Pick<ContactFilter, 'q' | 'status' | 'tag'>) {
  return queryOptions({
    queryKey: [...CONTACTS, 'total', filter],
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, BEFORE_COUNT_MS));
      signal.throwIfAborted();
      return (await answerOf(api.GET('/contacts', { params: { query: { ...filter, limit: 1 } }, signal }))).totalCount;
    },
  });
}

/** Mails and runs go on while the page is open. */
export const LOOK_AGAIN_MS = 15_000;

export function contactQuery(id: string) {
  return queryOptions({
    queryKey: [...CONTACTS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/contacts/{id}', { params: { path: { id } }, signal }))).contact,
  });
}

/** The one that has this address; null: there is none. */
export function contactByEmailQuery(email: string) {
  return queryOptions({
    queryKey: [...CONTACTS, 'by-email', email],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/contacts', { params: { query: { email, limit: 1 } }, signal }))).contacts[0] ?? null,
  });
}

/** How often a contact was left out of a campaign, or of an email of a sequence, counted up to `most`. */
export function leftOutQuery(id: string, kind: 'campaign_left_out' | 'mail_skipped', most: number) {
  return queryOptions({
    queryKey: [...CONTACTS, id, 'left-out', kind],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/contacts/{id}/timeline', { params: { path: { id }, query: { kind, limit: most } }, signal }))).timeline
        .length,
  });
}

export function timelineQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...CONTACTS, id, 'timeline'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answerOf(api.GET('/contacts/{id}/timeline', { params: { path: { id }, query: pageParam ? { cursor: pageParam } : {} }, signal })),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Whoever reads what is older is not disturbed: all of its pages would be read again.
    refetchInterval: ({ state }) => state.data?.pages.length === 1 && LOOK_AGAIN_MS,
  });
}

/** How a contact is called: its display name, or first and last; '' when it has none. */
export function nameOf({ display_name, first_name, last_name }: Pick<Contact, 'display_name' | 'first_name' | 'last_name'>): string {
  return display_name ?? [first_name, last_name].filter(Boolean).join(' ');
}
