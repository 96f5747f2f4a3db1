import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export const PERIODS = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;

export type Period = (typeof PERIODS)[number]['value'];
/** What Home shows first. */
export const FIRST_PERIOD: Period = '7d';
export type SendCounts = Schemas['SendCounts'];
export type Campaign = Schemas['Campaign'];
export type AttentionItem = Schemas['AttentionItem'];

/** What is shown here changes by itself. */
export const AGAIN_MS = 30_000;

export function statsQuery(period: Period) {
  return queryOptions({
    queryKey: ['stats', period],
    queryFn: ({ signal }) => answerOf(api.GET('/stats', { params: { query: { period } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
  });
}

export function attentionQuery() {
  return queryOptions({
    queryKey: ['attention'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/attention', { signal }))).items,
    refetchInterval: AGAIN_MS,
  });
}

/** Whether the project has any contact. */
export function anyContactQuery() {
  return queryOptions({
    queryKey: ['contacts', 'any'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/contacts', { params: { query: { limit: 1 } }, signal }))).contacts.length > 0,
  });
}

/** Whether any mail has ever gone out. */
export function anySentQuery() {
  return queryOptions({
    queryKey: ['sends', 'any sent'],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/sends', { params: { query: { status: 'sent', limit: 1 } }, signal }))).sends.length > 0,
    refetchInterval: ({ state }) => (state.data ? false : AGAIN_MS),
  });
}

/** What is on its way first; each status has pages of its own, so that a long list hides none. */
const UNDER_WAY = ['sending', 'queued', 'scheduled'] as const satisfies readonly Campaign['status'][];
const MOST_OF_EACH = 10;
/** While mails go out. */
const PROGRESS_AGAIN_MS = 5_000;

export function runningCampaignsQuery() {
  return queryOptions({
    queryKey: ['campaigns', 'running'],
    queryFn: async ({ signal }) => {
      const ofStatus = (status: Campaign['status']) =>
        answerOf(api.GET('/campaigns', { params: { query: { status, limit: MOST_OF_EACH } }, signal }));
      return (await Promise.all(UNDER_WAY.map(ofStatus))).flatMap(({ campaigns }) => campaigns);
    },
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'sending') ? PROGRESS_AGAIN_MS : AGAIN_MS),
  });
}
