import { isPast, localTime, VIEWER_ZONE } from '../../frame/local-time.ts';
import { hoursAfter } from '../../show/relative-time.ts';
import { dayWords, momentWords } from '../../show/time.tsx';
import type { Campaign } from './campaign-queries.ts';

export type LocalSchedule = NonNullable<Campaign['schedule']>;

/** A time of each recipient's own clock, while it is written. */
export interface LocalStartDraft {
  /** As an input of a date has it; empty: not chosen yet. */
  readonly localDate: string;
  /** As an input of a time has it. */
  readonly localAt: string;
  /** The time zone of those who have none. */
  readonly fallback: string;
  readonly late: LocalSchedule['late'];
}

export const NO_LOCAL_START: LocalStartDraft = { localDate: '', localAt: '09:00', fallback: VIEWER_ZONE, late: 'send' };

export function draftOfLocalStart(schedule: Campaign['schedule']): LocalStartDraft {
  if (!schedule) return NO_LOCAL_START;
  const { date, at, fallback, late } = schedule;
  return { localDate: date, localAt: at, fallback, late };
}

/** As the API takes it; null while a part of it is not chosen, or the date is none. */
export function localStartOf({ localDate: date, localAt: at, fallback, late }: LocalStartDraft): LocalSchedule | null {
  return isDate(date) && at ? { at, date, timezone: 'contact', fallback, late } : null;
}

/** An input of a date takes years of five digits too, which one may pass through while typing. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** How far the zones are from UTC where a day begins first, and where it begins last. */
const [FIRST_HOURS, LAST_HOURS] = [14, -12];

/** When it is that time in the first and in the last time zone, as an input of a date and time has it in the writer's own. */
export function localSpan({ date, at }: Pick<LocalSchedule, 'date' | 'at'>): { readonly first: string; readonly last: string } {
  const [first, last] = [FIRST_HOURS, LAST_HOURS].map((hours) =>
    localTime(new Date(hoursAfter(`${date}T${at}:00Z`, -hours)).toISOString()),
  );
  return { first: first ?? '', last: last ?? '' };
}

/** What is wrong with the day as it is chosen. */
export function localDateProblem(draft: LocalStartDraft): string | undefined {
  if (draft.localDate && !isDate(draft.localDate)) return 'Enter a year of four digits';
  const schedule = localStartOf(draft);
  return schedule && isPast(localSpan(schedule).last) ? 'This is in the past in every time zone' : undefined;
}

/** From when until when it is sent. `endsAt`: nothing is sent after it; empty: there is no such time. */
export function spanWords(schedule: Pick<LocalSchedule, 'date' | 'at'>, endsAt: string): string {
  const { first, last } = localSpan(schedule);
  const inOwnZone = (time: string): string => `${momentWords(time)} (${VIEWER_ZONE})`;
  const begins = isPast(first)
    ? `Begins right away, since it is past ${schedule.at} in some time zones`
    : `Begins where the day begins first, ${inOwnZone(first)}`;
  const ends =
    endsAt && endsAt < last ? 'ends at its end date, before it is that time everywhere' : `reaches the last time zones ${inOwnZone(last)}`;
  return `${begins}, and ${ends}.`;
}

/** Like `09:00 on 3 Dec in each recipient's time zone; UTC where none is known; left out where that had passed at launch`. */
export function localScheduleWords({ date, at, fallback, late }: LocalSchedule): string {
  return `${at} on ${dayWords(new Date(`${date}T12:00`))} in each recipient's time zone; ${fallback} where none is known; ${LATE_WORDS[late]} where that had passed at launch`;
}

const LATE_WORDS: Readonly<Record<LocalSchedule['late'], string>> = { send: 'sent at once', skip: 'left out' };
