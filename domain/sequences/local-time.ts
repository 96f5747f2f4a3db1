import { IANAZone } from 'luxon';
import { isTimeZone } from '../time-zone.ts';

/** A time of day, perhaps only on some weekdays, perhaps from a date on: the `time` of a wait, docs/contract/sequences.md 18, 19. */
export interface LocalTime {
  /** "HH:mm"; midnight when omitted. */
  readonly at?: string | undefined;
  /** 1 is Monday, 7 is Sunday; every day when omitted. */
  readonly weekdays?: readonly number[] | undefined;
  /** "YYYY-MM-DD": the day meant, or with weekdays the first day that may be. */
  readonly date?: string | undefined;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** More than any zone has ever been away from UTC. */
const FURTHEST_OFFSET = 16 * 60 * MINUTE;

/** The first usable of the wait's zone ("contact": the contact's own), its fallback, and UTC. */
export function resolveZone(
  { timezone, fallback }: { readonly timezone?: string | undefined; readonly fallback?: string | undefined },
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
  const clock = IANAZone.create(zone);
  const timeOfDay = millisecondsOf(at);
  const first = date === undefined ? localDay(clock, now) : Date.parse(date);
  // Two weeks have every weekday twice, of which at least one is ahead.
  for (let day = first; day < first + 14 * DAY; day += DAY) {
    if (!isOneOf(weekdays, day)) continue;
    const instant = firstInstantAt(clock, day + timeOfDay);
    if (instant > now.getTime()) return new Date(instant);
    if (date !== undefined) return undefined;
  }
  return undefined;
}

/**
 * The first instant at which local time has come to `local` (written as if it were UTC): of a time that exists twice
 * the first, for a time that clocks jump over the moment of the jump. Both come from the offsets around the change; a
 * zone is taken to change at most once within 32 hours.
 */
function firstInstantAt(zone: IANAZone, local: number): number {
  let before = local - FURTHEST_OFFSET;
  let after = local + FURTHEST_OFFSET;
  const offsetBefore = offset(zone, before);
  const offsetAfter = offset(zone, after);
  if (offsetBefore === offsetAfter) return local - offsetBefore;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(zone, middle) === offsetBefore) before = middle;
    else after = middle;
  }
  const change = after;
  const early = local - offsetBefore;
  return early < change ? early : Math.max(local - offsetAfter, change);
}

/** Milliseconds east of UTC. */
function offset(zone: IANAZone, instant: number): number {
  return zone.offset(instant) * MINUTE;
}

/** Midnight, as if it were UTC, of the day that the zone's calendar shows. */
function localDay(zone: IANAZone, now: Date): number {
  const local = now.getTime() + offset(zone, now.getTime());
  return local - (((local % DAY) + DAY) % DAY);
}

function isOneOf(weekdays: readonly number[] | undefined, day: number): boolean {
  return !weekdays?.length || weekdays.includes(new Date(day).getUTCDay() || 7);
}

function millisecondsOf(at: string): number {
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  return (hours * 60 + minutes) * MINUTE;
}
