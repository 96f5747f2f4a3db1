import { LAST_DAY, type Recurrence } from './recurrence.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A rule for people: "every 2 weeks on Monday and Thursday at 09:00, Europe/Berlin". */
export function recurrenceWords({ every, interval, on, at, timezone }: Recurrence): string {
  const period = interval === 1 ? `every ${every}` : `every ${interval} ${every}s`;
  const days = on.length === 0 ? '' : ` on ${listed(on.map((day) => (every === 'week' ? weekday(day) : dayOfMonth(day))))}`;
  return `${period}${days} at ${at}, ${timezone}`;
}

function weekday(day: number): string {
  return WEEKDAYS[day - 1] ?? `weekday ${day}`;
}

function dayOfMonth(day: number): string {
  return day === LAST_DAY ? 'its last day' : `day ${day}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
