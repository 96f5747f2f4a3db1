import type { Campaign } from './campaign-queries.ts';

export type CampaignReason = NonNullable<Campaign['reason']>;

const WORDS: Readonly<Record<CampaignReason, string>> = {
  unknown_segment: 'Its segment was deleted before it started.',
  empty_audience: 'When it started, nobody in the audience could get email.',
  project_suspended: 'The project was suspended.',
  email_unverified: "The owner's email was not verified.",
  unknown_template: 'Its template was deleted.',
  template_not_enabled: 'Its template was turned off.',
  no_brand: 'Its brand was deleted.',
  invalid_from: 'The sender of its template is not on a verified domain.',
  ends_at_reached: 'Its end date was reached. The remaining recipients did not get it.',
  provider_unavailable: 'The email provider is not accepting email right now. Sending is retried automatically and nobody is left out.',
  allowance_used: "Today's allowance is used. It goes on at 00:00 UTC.",
  send_window: 'It waits for its send window. The remaining recipients get it when that opens in their time zone.',
  local_time: 'It waits for its time in the next time zone. Below is when each zone gets it.',
  receiver_pace: 'All that is left goes to receivers that take email slowly. It goes at their pace, and nobody is left out.',
  cancelled: 'An operator cancelled its workflow.',
  terminated: 'An operator terminated its workflow.',
  failed: 'Its workflow failed. Whoever runs Everpost can find the details in Temporal.',
};

/** Why a campaign failed, ended early or waits. */
export function reasonWords(reason: CampaignReason): string {
  return WORDS[reason];
}
