import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export type Campaign = Schemas['Campaign'];
/** One of them with what it was made with. */
export type CampaignWithData = Schemas['CampaignWithData'];
export type Variant = Schemas['CampaignVariant'];
export type CampaignInput = Schemas['CampaignInput'];

/** All campaign queries begin with it. */
export const CAMPAIGNS = ['campaigns'] as const;

const UNDER_WAY_AGAIN_MS = 1_500;
const LIST_AGAIN_MS = 5_000;
/** Opens and clicks go on long after the last mail. */
const ENDED_AGAIN_MS = 30_000;

export interface CampaignFilter {
  readonly status?: Campaign['status'];
  readonly cursor?: string;
}

export function campaignsQuery(query: CampaignFilter) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, 'list', query],
    queryFn: ({ signal }) => answerOf(api.GET('/campaigns', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.campaigns.some(isUnderWay) ? LIST_AGAIN_MS : ENDED_AGAIN_MS),
  });
}

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns/{id}', { params: { path: { id } }, signal }))).campaign,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? UNDER_WAY_AGAIN_MS : ENDED_AGAIN_MS),
  });
}

/** Whether its mails are going out now, or are about to. */
function isUnderWay({ status, paused, scheduled_at }: Campaign): boolean {
  if (status === 'scheduled') return scheduled_at !== null && Date.parse(scheduled_at) <= Date.now();
  return !paused && (status === 'queued' || status === 'sending');
}

/** Nothing goes out any more. */
export function hasEnded({ status }: Campaign): boolean {
  return status === 'sent' || status === 'cancelled' || status === 'failed';
}

/** How a campaign is called: its name, or what its mail is called. */
export function nameOfCampaign({ name, subject, template }: Campaign): string {
  return name || subject || template;
}

/** Recipients whose mail has an outcome. */
export function settledOf({ sent_count, failed_count, skipped_count, cancelled_count }: Campaign): number {
  return sent_count + failed_count + skipped_count + cancelled_count;
}

/** A part of a whole in percent, to one digit; a dash where there is no whole. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}
