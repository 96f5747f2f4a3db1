/** What a reason is and does beside that the address gets no mail at all: docs/contract/suppressions.md 5, 6. */
interface SuppressionRule {
  /** What it is, as the API says it. */
  readonly meaning: string;
  /** It takes the place of the reason that an address has already; of all others the first stays. */
  readonly replaces: boolean;
  /** A contact with the address is unsubscribed too. */
  readonly unsubscribes: boolean;
}

/** Why an address gets no mail at all. */
export const SUPPRESSION_RULES = {
  bounce: { meaning: 'email came back, as the provider reports', replaces: false, unsubscribes: false },
  complaint: { meaning: 'email was marked as spam, as the provider reports', replaces: true, unsubscribes: true },
  manual: { meaning: 'added by hand', replaces: false, unsubscribes: false },
  global_unsubscribe: { meaning: 'an opt-out from everything', replaces: false, unsubscribes: true },
} satisfies Readonly<Record<string, SuppressionRule>>;

export type SuppressionReason = keyof typeof SUPPRESSION_RULES;
export const SUPPRESSION_REASONS = Object.keys(SUPPRESSION_RULES) as readonly SuppressionReason[];
