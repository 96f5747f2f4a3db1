import { bucketBounds, bucketOf } from '../buckets.ts';

/** Of a campaign that has something to do. */
export const OPEN_CAMPAIGN_STATUSES = ['scheduled', 'queued', 'sending'] as const;
export const ENDED_CAMPAIGN_STATUSES = ['sent', 'cancelled', 'failed'] as const;
export const CAMPAIGN_STATUSES = ['draft', ...OPEN_CAMPAIGN_STATUSES, ...ENDED_CAMPAIGN_STATUSES] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Why a campaign failed, ended early, or does not go on just now: docs/contract/campaigns.md 14. */
export const CAMPAIGN_REASONS = [
  'unknown_segment',
  'empty_audience',
  'project_suspended',
  'email_unverified',
  // Of its template.
  ...(['unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from'] as const),
  'ends_at_reached',
  'provider_unavailable',
  'allowance_used',
  'receiver_pace',
  'send_window',
  'local_time',
  // Of its workflow.
  ...(['cancelled', 'terminated', 'failed'] as const),
] as const;
export type CampaignReason = (typeof CAMPAIGN_REASONS)[number];

/** What of these says only what the rest of a campaign waits for, which nobody need do anything about. */
const WAITING_REASONS: readonly (CampaignReason | null)[] = ['receiver_pace', 'send_window', 'local_time'];

/** Whether a reason is one of those. */
export function isWaitingReason(reason: CampaignReason | null): boolean {
  return WAITING_REASONS.includes(reason);
}

/** Whom a campaign is for: docs/contract/campaigns.md 2. People are the contacts of these addresses. */
export type Audience =
  | { readonly mode: 'entire' }
  | { readonly mode: 'segment'; readonly segmentId: string }
  | { readonly mode: 'tag'; readonly tag: string }
  | { readonly mode: 'people'; readonly emails: readonly string[] };

/** What a campaign's record says of that: of people no address, and how many they are but for those erased since. */
export type ShownAudience = Exclude<Audience, { readonly mode: 'people' }> | { readonly mode: 'people'; readonly count: number };

/** One arm of an A/B test. */
export interface CampaignVariant {
  readonly key: string;
  /** null: the campaign's. Liquid. */
  readonly subject: string | null;
  /** Relative to those of the others. */
  readonly weight: number;
}

/** What holds of a campaign when no pause does: also of one that has ended while it was paused. */
export const NOT_PAUSED = { paused: false, paused_reason: null } as const;

/** What holds of a campaign when it does not wait for the next day. */
export const WITHIN_ALLOWANCE = { reason: null, retry_at: null, allowance: null } as const;

/** Recipients of one batch: few enough that a slow mail server takes them in the time of a submission, enough that statements cost little. */
export const BATCH_SIZE = 100;

/**
 * The arm of each contact: the same for ever, and spread by weight (docs/contract/campaigns.md 19). The hash is the first four bytes of
 * MD5(`<campaign id>:<contact id>`), which PostgreSQL counts by as well.
 */
export function variantsOf<T extends { readonly weight: number }>(campaignId: string, variants: readonly T[]): (contactId: string) => T {
  const bounds = bucketBounds(variants);
  return (contactId) => {
    const bucket = bucketOf(`${campaignId}:${contactId}`);
    return variants[bounds.findIndex((bound) => bucket < bound)] as T;
  };
}
