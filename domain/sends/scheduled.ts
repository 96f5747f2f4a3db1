const DAY_MS = 24 * 3_600_000;

/** docs/contract/sends.md 52. */
export const MOST_DAYS_AHEAD = 90;

/** Whether a mail may be asked for so long before it is due; an instant in the past is due at once. */
export function isSchedulable(dueAt: Date, now: Date): boolean {
  return dueAt.getTime() - now.getTime() <= MOST_DAYS_AHEAD * DAY_MS;
}
