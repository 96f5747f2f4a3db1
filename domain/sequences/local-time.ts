import { isTimeZone } from '../time-zone.ts';
import { clockOf, DAY_MS } from '../zone-clock.ts';

/** A time of day, perhaps only on some weekdays, perhaps from a date on: the `time` of a wait, docs/contract/sequences.md 18, 19. */
export interface LocalTime {
  /** "HH:mm"; midnight when omitted. */
  readonly at?: string | undefined;
  /** 1 is Monday, 7 is Sunday; every day when omitted. */
  readonly weekdays?: readonly number[] | undefined;
  /** "YYYY-MM-DD": the day meant, or with weekdays the first day that may be. */
  readonly date?: string | undefined;
}

const MINUTE_MS = 60_000;

/** The first usable of the wait's zone ("contact": the contact's own), its fallback, and UTC. */
export function resolveZone(
  { timezone, fallback }: { readonly timezone?: string | null | undefined; readonly fallback?: string | null | undefined },
  contactZone: string | null,
): string {
  const wanted = timezone === 'contact' ? contactZone : timezone;
  return [wanted, fallback].find((zone) => typeof zone === 'string' && isTimeZone(zone)) ?? 'UTC';
}

/**
 * The next instant at which the clocks of the zone show this time, always after `now`: a run that arrives at 09:00
 * sharp waits for the next 09:00, so a loop over 09:00 comes round once a day. undefined: the date has passed.
 */
export function nextLocalTime({ at = '00:00', weekdays, date }: LocalTime, zone: string, now: Date): Date | undefined {
  const clock = clockOf(zone);
  const timeOfDay = millisecondsOf(at);
  const first = date === undefined ? clock.dayOf(now.getTime()) : Date.parse(date);
  // Two weeks have every weekday twice, of which at least one is ahead.
  for (let day = first; day < first + 14 * DAY_MS; day += DAY_MS) {
    if (!isOneOf(weekdays, day)) continue;
    const instant = clock.firstInstantAt(day + timeOfDay);
    if (instant > now.getTime()) return new Date(instant);
    if (date !== undefined) return undefined;
  }
  return undefined;
}

function isOneOf(weekdays: readonly number[] | undefined, day: number): boolean {
  return !weekdays?.length || weekdays.includes(new Date(day).getUTCDay() || 7);
}

/** Of a time of day, from midnight on. */
export function millisecondsOf(at: string): number {
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  return (hours * 60 + minutes) * MINUTE_MS;
}
