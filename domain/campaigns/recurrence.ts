import { millisecondsOf } from '../sequences/local-time.ts';
import { clockOf, DAY_MS } from '../zone-clock.ts';

/** What a rule repeats by. */
export const RECURRENCE_PERIODS = ['day', 'week', 'month'] as const;
type Period = (typeof RECURRENCE_PERIODS)[number];

/** In `on` of a month: its last day, whichever that is. */
export const LAST_DAY = -1;

/** More periods than this between two runs are not asked for. */
export const MAX_INTERVAL = 100;

/** When a recurring campaign runs, as it is kept: docs/contract/campaigns.md 54 to 57. Instants are ISO 8601. */
export interface Recurrence {
  readonly every: Period;
  /** Every so many days, weeks or months, counted from the one with `from`. */
  readonly interval: number;
  /** Weekdays, 1 is Monday and 7 is Sunday; of a month days, 1 to 31 and LAST_DAY. Empty of days. */
  readonly on: readonly number[];
  /** "HH:mm" of the zone's clocks. */
  readonly at: string;
  readonly timezone: string;
  /** Nothing runs before it; null: from when the recurring campaign was made. */
  readonly from: string | null;
  /** Nothing runs after it. */
  readonly until: string | null;
  /** So many campaigns at most. */
  readonly count: number | null;
}

/** Where an enumeration of a rule begins. */
export interface Beginning {
  /** When the recurring campaign was made: `interval` counts from its period where the rule has no `from`. */
  readonly madeAt: Date;
  /** Only what comes later. */
  readonly after: Date;
}

/** A rule whose days do not come in so many of its periods has them never, such as 30 February. */
const MOST_EMPTY_PERIODS = 200;

/**
 * The instants of a rule after another, in order and each once. A local time that clocks jump over is the first instant after the gap, one that comes
 * twice is the first of the two. A month without such a day has no run on it. `count` is not looked at: how many were made stands elsewhere.
 */
export function* instantsAfter(rule: Recurrence, { madeAt, after }: Beginning): Generator<Date, void> {
  const clock = clockOf(rule.timezone);
  const from = rule.from === null ? madeAt.getTime() : Date.parse(rule.from);
  const until = rule.until === null ? Number.POSITIVE_INFINITY : Date.parse(rule.until);
  const first = clock.dayOf(from);
  // What is to run at `from` itself does.
  let last = Math.max(after.getTime(), rule.from === null ? from : from - 1);
  const period = periodsOf(rule, first);
  // One back: what the clocks jump over may run on the day after.
  const reached = Math.max(0, Math.floor((period.at(clock.dayOf(last)) - 1) / rule.interval));
  for (let index = reached * rule.interval, empty = 0; empty < MOST_EMPTY_PERIODS; index += rule.interval) {
    empty++;
    for (const day of period.days(index)) {
      const instant = clock.firstInstantAt(day + millisecondsOf(rule.at));
      if (instant > until) return;
      if (instant <= last) continue;
      last = instant;
      empty = 0;
      yield new Date(instant);
    }
  }
}

/** The periods of a rule, counted from the one with the day `first`. Days are midnights of the zone's calendar, as if it were UTC. */
interface Periods {
  /** Which one has the day. */
  at(day: number): number;
  /** Its days on which the rule runs, in order. */
  days(index: number): number[];
}

function periodsOf({ every, on }: Recurrence, first: number): Periods {
  switch (every) {
    case 'day':
      return { at: (day) => (day - first) / DAY_MS, days: (index) => [first + index * DAY_MS] };
    case 'week': {
      const monday = mondayOf(first);
      return {
        at: (day) => (mondayOf(day) - monday) / (7 * DAY_MS),
        days: (index) => inOrder(on.map((weekday) => monday + (index * 7 + weekday - 1) * DAY_MS)),
      };
    }
    case 'month': {
      const month = monthOf(first);
      return { at: (day) => monthOf(day) - month, days: (index) => daysOfMonth(month + index, on) };
    }
    default:
      return every satisfies never;
  }
}

function mondayOf(day: number): number {
  return day - (weekdayOf(new Date(day)) - 1) * DAY_MS;
}

/** 1 is Monday, 7 is Sunday. */
function weekdayOf(day: Date): number {
  return day.getUTCDay() || 7;
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function daysOfMonth(month: number, on: readonly number[]): number[] {
  const [year, ofYear] = [Math.floor(month / 12), month % 12];
  const length = new Date(Date.UTC(year, ofYear + 1, 0)).getUTCDate();
  const days = on.map((day) => (day === LAST_DAY ? length : day)).filter((day) => day <= length);
  return inOrder(days.map((day) => Date.UTC(year, ofYear, day)));
}

/** The last day of a month may be named twice. */
function inOrder(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}

/** The days that a rule is on when it names none: that of the instant by the zone's calendar. */
export function usualDays({ every, timezone }: Pick<Recurrence, 'every' | 'timezone'>, at: Date): number[] {
  const day = new Date(clockOf(timezone).dayOf(at.getTime()));
  return every === 'day' ? [] : [every === 'week' ? weekdayOf(day) : day.getUTCDate()];
}

/** The day that the zone's calendar shows, like 2026-12-01. */
export function localDate(timezone: string, instant: Date): string {
  return new Date(clockOf(timezone).dayOf(instant.getTime())).toISOString().slice(0, 10);
}
