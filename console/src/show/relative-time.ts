const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const MINUTES_OF_AN_HOUR = 60;
const HOURS_OF_A_DAY = 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** So many hours after an instant that the API names, in epoch milliseconds. */
export function hoursAfter(at: string, hours: number): number {
  return Date.parse(at) + hours * HOUR_MS;
}

/** Like `in 5 min` or `2 days ago`, to the nearest; from a day on days of the reader's own calendar, so that "tomorrow" is the next day and no other. */
export function relativeWords(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 60) return seconds > 5 ? 'in a moment' : 'just now';
  const minutes = nearest(seconds / 60);
  if (Math.abs(minutes) < MINUTES_OF_AN_HOUR) return words(minutes, 'minute');
  const hours = nearest(seconds / 3_600);
  const days = calendarDays(now, date);
  // Nearly a day may still lie within one, as from its first minutes to its last.
  return Math.abs(hours) < HOURS_OF_A_DAY || days === 0 ? words(hours, 'hour') : words(days, 'day');
}

/** As near ahead as behind, where Math.round has halves of negative numbers go up. */
function nearest(amount: number): number {
  return Math.sign(amount) * Math.round(Math.abs(amount));
}

function calendarDays(from: Date, to: Date): number {
  // Days are of 23 or 25 hours where clocks change.
  return Math.round((startOfDay(to) - startOfDay(from)) / DAY_MS);
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** Units as everywhere else, and at the end of a sentence without a second dot. */
function words(amount: number, unit: 'minute' | 'hour' | 'day'): string {
  return RELATIVE.format(amount, unit).replace('hr.', 'h').replace('min.', 'min');
}
