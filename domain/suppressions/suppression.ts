/** What a reason means beside that the address gets no mail at all: docs/contract/suppressions.md 5, 6. */
interface SuppressionRule {
  /** It takes the place of the reason that an address has already; of all others the first stays. */
  readonly replaces: boolean;
  /** A contact with the address is unsubscribed too. */
  readonly unsubscribes: boolean;
}

/** Why an address gets no mail at all: bounce and complaint come from providers, the other two from callers. */
export const SUPPRESSION_RULES = {
  bounce: { replaces: false, unsubscribes: false },
  complaint: { replaces: true, unsubscribes: true },
  manual: { replaces: false, unsubscribes: false },
  global_unsubscribe: { replaces: false, unsubscribes: true },
} satisfies Readonly<Record<string, SuppressionRule>>;

export type SuppressionReason = keyof typeof SUPPRESSION_RULES;
export const SUPPRESSION_REASONS = Object.keys(SUPPRESSION_RULES) as readonly SuppressionReason[];
