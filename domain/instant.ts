/**
 * Whether a time is one that can be stored and written: with a year of four digits (ISO 8601), which PostgreSQL has too. No report and no
 * plan is about another.
 */
export function isStorableTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

export const TIME_RANGE = 'a time in the years 1 to 9999';
