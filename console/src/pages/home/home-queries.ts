import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export const PERIODS = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;

export type Period = (typeof PERIODS)[number]['value'];
export type SendCounts = Schemas['SendCounts'];
export type Campaign = Schemas['Campaign'];
export type AttentionItem = Schemas['AttentionItem'];

/** What is shown here changes by itself. */
const AGAIN_MS = 30_000;

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

const RUNNING: readonly Campaign['status'][] = ['scheduled', 'queued', 'sending'];

export function runningCampaignsQuery() {
  return queryOptions({
    queryKey: ['campaigns', 'running'],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/campaigns', { signal }))).campaigns.filter(({ status }) => RUNNING.includes(status)),
    refetchInterval: AGAIN_MS,
  });
}
