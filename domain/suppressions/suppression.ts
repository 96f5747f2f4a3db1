/** Why an address gets no mail at all: bounce and complaint come from providers, the other two from callers. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint', 'manual', 'global_unsubscribe'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
