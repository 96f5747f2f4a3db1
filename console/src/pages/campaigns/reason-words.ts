import type { Campaign } from './campaign-queries.ts';

export type CampaignReason = NonNullable<Campaign['reason']>;

const WORDS: Readonly<Record<CampaignReason, string>> = {
  unknown_segment: 'Its segment was deleted before it began.',
  empty_audience: 'When its time came, nobody in the audience could get mail.',
  project_suspended: 'The project was suspended.',
  email_unverified: "The owner's address was not verified.",
  unknown_template: 'Its template was deleted.',
  template_not_enabled: 'Its template was switched off.',
  no_brand: 'Its brand was deleted.',
  invalid_from: 'The sender of its template is on no verified domain.',
  ends_at_reached: 'Its end was reached; who was left did not get it.',
  provider_unavailable: 'The mail provider does not take mail just now. It is tried again by itself; nobody is left out.',
  cancelled: 'An operator cancelled its workflow.',
  terminated: 'An operator terminated its workflow.',
  failed: 'Its workflow failed. Whoever runs Everpost finds out more in Temporal.',
};

/** Why a campaign failed, ended early or waits. */
export function reasonWords(reason: CampaignReason): string {
  return WORDS[reason];
}
