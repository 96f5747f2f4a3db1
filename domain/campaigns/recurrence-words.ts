import { DateTime } from 'luxon';
import { grouped } from '../shown-text.ts';
import { LAST_DAY, type Recurrence } from './recurrence.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A rule for people: "every 2 weeks on Monday and Thursday at 09:00, Europe/Berlin, until 2026-12-31 18:00, 5 campaigns at most". Times are of its zone. */
export function recurrenceWords({ every, interval, on, at, timezone, from, until, count }: Recurrence): string {
  const period = interval === 1 ? `every ${every}` : `every ${interval} ${every}s`;
  const days = on.length === 0 ? '' : ` on ${listed(on.map((day) => (every === 'week' ? weekday(day) : dayOfMonth(day))))}`;
  const bounds = [
    from === null ? [] : `from ${localMinute(timezone, from)}`,
    until === null ? [] : `until ${localMinute(timezone, until)}`,
    count === null ? [] : count === 1 ? 'once' : `${grouped(count)} campaigns at most`,
  ].flat();
  return [`${period}${days} at ${at}`, timezone, ...bounds].join(', ');
}

/** What the clocks of the zone show, like 2026-12-31 18:00. */
function localMinute(timezone: string, instant: string): string {
  return DateTime.fromISO(instant, { zone: timezone }).toFormat('yyyy-MM-dd HH:mm');
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
