import { LONGEST_RUN_MINUTES, MOST_INTERVAL, MOST_RUNS } from '../../api/limits.ts';
import { localTime, momentOf, VIEWER_ZONE } from '../../frame/local-time.ts';
import type { Recurrence, Recurring } from './recurring-queries.ts';

/** A rule while it is written. Moments are as a date and time input has them, in the writer's own zone; empty: none. */
export interface RuleDraft {
  readonly every: Recurrence['every'];
  readonly interval: number | null;
  /** Of weeks, 1 is Monday. */
  readonly weekdays: readonly string[];
  /** Of months, -1 is the last day. */
  readonly monthDays: readonly string[];
  readonly at: string;
  readonly timezone: string;
  readonly from: string;
  readonly until: string;
  readonly count: number | null;
  readonly endsAfterMinutes: number | null;
}

export const NEW_RULE: RuleDraft = {
  ...{ every: 'week', interval: 1, weekdays: [], monthDays: [], at: '09:00', timezone: VIEWER_ZONE },
  ...{ from: '', until: '', count: null, endsAfterMinutes: null },
};

export function draftOfRule({ recurrence: rule, ends_after_minutes }: Pick<Recurring, 'recurrence' | 'ends_after_minutes'>): RuleDraft {
  const { every, interval, on, at, timezone, from, until, count } = rule;
  const days = on.map(String);
  return {
    ...{ every, interval, at, timezone, count, endsAfterMinutes: ends_after_minutes },
    weekdays: every === 'week' ? days : [],
    monthDays: every === 'month' ? days : [],
    from: from ? localTime(from) : '',
    until: until ? localTime(until) : '',
  };
}

/** As the API takes it; undefined where a part of it is missing or wrong. */
export function ruleOf(draft: RuleDraft): Recurrence | undefined {
  if (Object.values(ruleFaults(draft)).some((fault) => fault !== undefined)) return undefined;
  const { every, interval, at, timezone, from, until, count } = draft;
  return {
    ...{ every, interval, at, timezone, count },
    ...(every === 'day' ? {} : { on: daysOf(draft).map(Number) }),
    from: from ? momentOf(from) : null,
    until: until ? momentOf(until) : null,
  };
}

function daysOf({ every, weekdays, monthDays }: RuleDraft): readonly string[] {
  return every === 'week' ? weekdays : monthDays;
}

/** What is missing or wrong, by the name in the request. */
export function ruleFaults(draft: RuleDraft): Readonly<Record<string, string | undefined>> {
  const { every, interval, at, from, until, count, endsAfterMinutes } = draft;
  return {
    'recurrence.interval': isWithin(interval, MOST_INTERVAL) ? undefined : within(MOST_INTERVAL),
    'recurrence.on': every !== 'day' && daysOf(draft).length === 0 ? 'Choose at least one day' : undefined,
    'recurrence.at': at ? undefined : 'Choose a time',
    'recurrence.until': untilProblem({ from, until }),
    'recurrence.count': countProblem({ count }),
    endsAfterMinutes:
      endsAfterMinutes === null || isWithin(endsAfterMinutes, LONGEST_RUN_MINUTES)
        ? undefined
        : 'Enter at least a minute and at most a year',
  };
}

/** What is wrong with the end as it is chosen. */
export function untilProblem({ from, until }: Pick<RuleDraft, 'from' | 'until'>): string | undefined {
  return from && until && until < from ? 'This is before the start' : undefined;
}

/** What is wrong with the number of runs as it is typed. */
export function countProblem({ count }: Pick<RuleDraft, 'count'>): string | undefined {
  return count === null || isWithin(count, MOST_RUNS) ? undefined : within(MOST_RUNS);
}

function isWithin(value: number | null, most: number): boolean {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= most;
}

function within(most: number): string {
  return `Enter a whole number from 1 to ${most.toLocaleString('en')}`;
}
