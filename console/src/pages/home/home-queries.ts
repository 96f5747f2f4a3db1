import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { VIEWER_ZONE } from '../../frame/local-time.ts';
import type { Session } from '../../session/session.tsx';
import { CAMPAIGNS } from '../campaigns/campaign-queries.ts';

export const PERIODS = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;

export type Period = (typeof PERIODS)[number]['value'];
/** What Home shows first. */
export const FIRST_PERIOD: Period = '7d';
export type SendCounts = Schemas['SendCounts'];
export type SendStats = Awaited<ReturnType<typeof readStats>>;
export type ContactGrowthCounts = Schemas['ContactGrowth'];
export type Campaign = Schemas['Campaign'];
export type AttentionItem = Schemas['AttentionItem'];

/** What is shown here changes by itself. */
export const AGAIN_MS = 30_000;

function readStats(period: Period, signal: AbortSignal) {
  return answerOf(api.GET('/stats', { params: { query: { period, timezone: VIEWER_ZONE } }, signal }));
}

export function growthQuery(period: Period) {
  return queryOptions({
    queryKey: ['contacts', 'growth', period],
    queryFn: ({ signal }) => answerOf(api.GET('/stats/contacts', { params: { query: { period, timezone: VIEWER_ZONE } }, signal })),
    placeholderData: keepPreviousData,
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

/** So often nobody tests before the first email that is none. */
export const MOST_TESTS = 50;

/** Whether any mail has ever gone out that was no test. */
export function anySentQuery() {
  return queryOptions({
    queryKey: ['sends', 'any sent'],
    queryFn: async ({ signal }) => {
      const { sends, nextCursor } = await answerOf(api.GET('/sends', { params: { query: { status: 'sent', limit: MOST_TESTS } }, signal }));
      return nextCursor !== null || sends.some(({ source_type }) => source_type !== 'test');
    },
    refetchInterval: ({ state }) => (state.data ? false : AGAIN_MS),
  });
}

/** Those that are furthest on first, as they are shown. */
const UNDER_WAY = ['sending', 'queued', 'scheduled'] as const satisfies readonly Campaign['status'][];
const MOST_OF_EACH = 10;
const MOST_AT_ONCE = 100;
/** While mails go out. */
const PROGRESS_AGAIN_MS = 5_000;

/** All of one moment, unless they are too many: then those that are on their way are read for themselves, so that later ones hide none. */
async function readUnderWay(signal: AbortSignal): Promise<readonly Campaign[]> {
  const readOf = (query: { readonly status?: Campaign['status']; readonly underWay: 'true'; readonly limit: number }) =>
    answerOf(api.GET('/campaigns', { params: { query }, signal }));
  const { campaigns, nextCursor } = await readOf({ underWay: 'true', limit: MOST_AT_ONCE });
  const read = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  if (nextCursor) {
    for (const status of UNDER_WAY.toReversed()) {
      for (const campaign of (await readOf({ status, underWay: 'true', limit: MOST_OF_EACH })).campaigns) read.set(campaign.id, campaign);
    }
  }
  return UNDER_WAY.flatMap((status) => [...read.values()].filter((campaign) => campaign.status === status).slice(0, MOST_OF_EACH));
}

/** Parts that the key may not read are undefined. */
export interface HomeNumbers {
  readonly campaigns: readonly Campaign[] | undefined;
  readonly attention: readonly AttentionItem[];
  /** Of the period that is shown. */
  readonly stats: SendStats | undefined;
  /** Of the first period, which tells whether mails fail too often. */
  readonly firstStats: SendStats | undefined;
}

/**
 * What Home shows of mails, all of it read together and shown at once, so that no part contradicts another. Campaigns are read before
 * the counts of mails, which only grow: no campaign has sent more than there was.
 */
export function homeQuery(period: Period, may: Session['may']) {
  const mayRead = { campaigns: may('GET /campaigns'), stats: may('GET /stats') };
  return queryOptions({
    // What changes a campaign has it read again. What the key may not read is refused to whoever asks for it before that is known.
    queryKey: [...CAMPAIGNS, 'home', period, mayRead],
    async queryFn({ signal }): Promise<HomeNumbers> {
      const campaigns = mayRead.campaigns ? await readUnderWay(signal) : undefined;
      const [{ items: attention }, stats, firstStats] = await Promise.all([
        answerOf(api.GET('/attention', { signal })),
        mayRead.stats ? readStats(period, signal) : undefined,
        mayRead.stats && period !== FIRST_PERIOD ? readStats(FIRST_PERIOD, signal) : undefined,
      ]);
      return { campaigns, attention, stats, firstStats: period === FIRST_PERIOD ? stats : firstStats };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.campaigns?.some(({ status }) => status === 'sending') ? PROGRESS_AGAIN_MS : AGAIN_MS),
  });
}
