const WORDS: Readonly<Record<string, string>> = {
  unknown_segment: 'Its segment was deleted before it began.',
  empty_audience: 'When its time came, nobody in the audience could get mail.',
  project_suspended: 'The project was suspended.',
  email_unverified: "The owner's address was not verified.",
  unknown_template: 'Its template was deleted.',
  template_not_enabled: 'Its template was switched off.',
  ends_at_reached: 'Its end was reached; who was left did not get it.',
  provider_unavailable: 'The mail provider does not take mail just now. It is tried again by itself; nobody is left out.',
  cancelled: 'An operator cancelled its workflow.',
  terminated: 'An operator terminated its workflow.',
  failed: 'Its workflow failed. Whoever runs Everpost finds out more in Temporal.',
};

/** Why a campaign failed, ended early or waits. A reason of a later version is told as it is. */
export function reasonWords(reason: string): string {
  return WORDS[reason] ?? reason;
}
