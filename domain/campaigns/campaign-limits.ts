import { percentWords } from '../percent-words.ts';
import type { CampaignCounts } from './counters.ts';

/** Beyond which shares the campaigns of a project pause by themselves, 0 to 1; null: none. */
export interface CampaignLimits {
  readonly bounceRate: number | null;
  readonly complaintRate: number | null;
}

export type CampaignLimit = keyof CampaignLimits;
export const CAMPAIGN_LIMITS = ['bounceRate', 'complaintRate'] as const satisfies readonly CampaignLimit[];

/** Of fewer mails of a campaign a share says nothing. */
export const FEWEST_CAMPAIGN_MAILS = 100;

/** Why a campaign has paused by itself: so many of so many mails, which is more than the limit says. */
export interface PausedReason {
  readonly limit: CampaignLimit;
  /** The share that was allowed. */
  readonly value: number;
  readonly count: number;
  readonly mails: number;
}

/** What had been counted when somebody let a campaign go on that had paused by itself: these mails are judged. */
export type JudgedCounts = Pick<CampaignCounts, 'sent' | 'failed' | 'bounced' | 'complained'>;

/** The counts that a resumption has judged. */
export function judgedOf({ sent, failed, bounced, complained }: JudgedCounts): JudgedCounts {
  return { sent, failed, bounced, complained };
}

/**
 * The limit that a campaign is beyond, of bounces first. Bounces are a share of all mails that were tried, since a mail server may refuse an address at
 * once; complaints one of those that were sent.
 */
export function limitExceeded(limits: CampaignLimits, counts: JudgedCounts, judged: JudgedCounts | null): PausedReason | undefined {
  const since = (counter: keyof JudgedCounts): number => Math.max(0, counts[counter] - (judged?.[counter] ?? 0));
  const sent = since('sent');
  const tried = sent + since('failed');
  if (tried < FEWEST_CAMPAIGN_MAILS) return undefined;
  const parts = {
    bounceRate: { count: since('bounced'), mails: tried },
    complaintRate: { count: since('complained'), mails: sent },
  };
  for (const limit of CAMPAIGN_LIMITS) {
    const [value, { count, mails }] = [limits[limit], parts[limit]];
    if (value !== null && mails > 0 && count / mails > value) return { limit, value, count, mails };
  }
  return undefined;
}

const BECAME: Readonly<Record<CampaignLimit, string>> = { bounceRate: 'bounced', complaintRate: 'were reported as spam' };

/** In words, like `6.2 % of 1,204 emails bounced, and the limit is 5 %`. */
export function pausedWords({ limit, value, count, mails }: PausedReason): string {
  return `${percentWords(count / mails)} of ${mails.toLocaleString('en')} emails ${BECAME[limit]}, and the limit is ${percentWords(value)}`;
}
