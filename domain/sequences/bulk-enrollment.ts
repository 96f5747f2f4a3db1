import type { EnrollRefusal } from './reentry.ts';

export const BULK_STATUSES = ['running', 'completed', 'cancelled'] as const;

/** How the enrollment of a whole segment stands. `cancelled`: it was ended before it had gone through all. */
export type BulkStatus = (typeof BULK_STATUSES)[number];

/** How many were not enrolled, by the reason of a single refusal. */
export type SkippedByReason = Readonly<Partial<Record<EnrollRefusal, number>>>;

/** Both together. */
export function addSkipped(before: SkippedByReason, refused: readonly { readonly reason: EnrollRefusal }[]): SkippedByReason {
  const counts = { ...before };
  for (const { reason } of refused) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

export function countSkipped(skipped: SkippedByReason): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}
