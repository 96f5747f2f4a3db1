import { instantOf } from '../conditions/compare.ts';
import { clockOf, DAY_MS, type ZoneClock } from '../zone-clock.ts';
import { millisecondsOf, resolveZone } from './local-time.ts';

/** What a contact has a date in beside its attributes. */
export const DATE_FIELDS = ['created_at'] as const;

/** The date of each contact by which it enters, of an attribute or a field: docs/contract/sequences.md 50 to 54. null is the same as leaving out. */
export interface EnteredDate {
  readonly attribute?: string | null | undefined;
  readonly field?: (typeof DATE_FIELDS)[number] | null | undefined;
  readonly every?: 'year' | null | undefined;
  readonly daysBefore?: number | null | undefined;
  readonly daysAfter?: number | null | undefined;
  /** Like 09:00. */
  readonly at: string;
  readonly timezone?: string | null | undefined;
  readonly fallback?: string | null | undefined;
}

/** From after `from` to `to`, with it: contacts whose time is in it enter. */
export interface EntryWindow {
  readonly from: Date;
  readonly to: Date;
}

/** When a contact enters, and the date for which it does so, like 2027-05-14. */
export interface DateEntry {
  readonly date: string;
  readonly dueAt: Date;
}

/** No zone's calendar is further than this from that of UTC. */
const ZONES_MS = 16 * 3_600_000;

/** The same for two triggers for the same day of the same attribute: whoever has entered by one of them does not by the other. */
export function dateEntryName(rule: EnteredDate): string {
  return JSON.stringify([rule.field ? { field: rule.field } : rule.attribute, rule.every ?? null, daysAfterDate(rule)]);
}

/** Days from the date to the day of entry. */
function daysAfterDate({ daysBefore, daysAfter }: EnteredDate): number {
  return (daysAfter ?? 0) - (daysBefore ?? 0);
}

/** What a contact has where the rule looks for its date. */
export function dateValue(
  { attribute, field }: EnteredDate,
  { attributes, created_at }: { readonly attributes: Readonly<Record<string, unknown>>; readonly created_at: Date },
): unknown {
  return field ? created_at.toISOString() : attributes[attribute ?? ''];
}

/** What the date of a contact says, whatever it is, and the zone that it lives in. */
interface Dated {
  readonly timezone: string | null;
  readonly value: unknown;
}

/** The entry of the contact in the window, which is shorter than a year; undefined: it has none. A value that is no date is none. */
export function entryWithin(rule: EnteredDate, { timezone, value }: Dated, { from, to }: EntryWindow): DateEntry | undefined {
  const clock = clockOf(resolveZone(rule, timezone));
  const of = dateIn(value, clock);
  if (of === undefined) return undefined;
  for (let day = clock.dayOf(from.getTime()); day <= clock.dayOf(to.getTime()); day += DAY_MS) {
    const date = isoDay(day - daysAfterDate(rule) * DAY_MS);
    if (!isFor(rule, of, date)) continue;
    const due = clock.firstInstantAt(day + millisecondsOf(rule.at));
    if (due > from.getTime() && due <= to.getTime()) return { date, dueAt: new Date(due) };
  }
  return undefined;
}

/** The values that may have an entry in the window begin so, of every year's date from its month on; more do than have one. */
export function dateTexts(rule: EnteredDate, { from, to }: EntryWindow): string[] {
  // A timestamp may be of another day where the contact lives.
  const margin = ZONES_MS + DAY_MS;
  const first = Math.floor((from.getTime() - margin) / DAY_MS) * DAY_MS;
  const texts: string[] = [];
  for (let day = first; day <= to.getTime() + margin; day += DAY_MS) {
    const date = isoDay(day - daysAfterDate(rule) * DAY_MS);
    texts.push(rule.every ? date.slice(5) : date);
    if (rule.every && isLeapDayOf(date)) texts.push('02-29');
  }
  return texts;
}

/** Whether the date of a contact, or its day in a later year, is this one. 29 February is the 28th in years that have none. */
function isFor({ every, field }: EnteredDate, of: string, date: string): boolean {
  if (!every) return of === date;
  const years = Number(date.slice(0, 4)) - Number(of.slice(0, 4));
  // The day on which a contact was added is no anniversary of it.
  return years >= (field ? 1 : 0) && (of.slice(5) === date.slice(5) || (of.slice(5) === '02-29' && isLeapDayOf(date)));
}

/** Whether it stands for the 29 February of its year. */
function isLeapDayOf(date: string): boolean {
  const year = Number(date.slice(0, 4));
  return date.slice(5) === '02-28' && new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1;
}

/** The date that a value is: of a time with an offset the one that the clock shows then. */
function dateIn(value: unknown, clock: ZoneClock): string | undefined {
  if (typeof value !== 'string') return undefined;
  const instant = instantOf(value);
  if (instant === undefined) return undefined;
  return /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? isoDay(clock.dayOf(instant)) : value.slice(0, 10);
}

function isoDay(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
