import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { instantsAfter, type Recurrence, usualDays } from '../../../domain/campaigns/recurrence.ts';
import { recurrenceWords } from '../../../domain/campaigns/recurrence-words.ts';

const RULE: Recurrence = { every: 'day', interval: 1, on: [], at: '09:00', timezone: 'UTC', from: null, until: null, count: null };
/** A Tuesday. */
const MADE = '2026-12-01T10:00:00Z';

function instants(rule: Partial<Recurrence>, most: number, after = MADE, madeAt = MADE): string[] {
  const found = instantsAfter({ ...RULE, ...rule }, { madeAt: new Date(madeAt), after: new Date(after) }).take(most);
  return [...found].map((instant) => instant.toISOString().replace(':00.000Z', 'Z'));
}

const week = { every: 'week', on: [2] } as const;
const month = { every: 'month' } as const;

test.each<[string, Partial<Recurrence>, string[]]>([
  ['every day', {}, ['2026-12-02T09:00Z', '2026-12-03T09:00Z', '2026-12-04T09:00Z']],
  ['every third day', { interval: 3 }, ['2026-12-04T09:00Z', '2026-12-07T09:00Z', '2026-12-10T09:00Z']],
  ['later on the day on which it was made', { at: '10:30' }, ['2026-12-01T10:30Z', '2026-12-02T10:30Z']],
  ['not at the instant at which it was made', { at: '10:00' }, ['2026-12-02T10:00Z']],
  ['every week', week, ['2026-12-08T09:00Z', '2026-12-15T09:00Z']],
  ['the zone has another weekday', { ...week, timezone: 'Pacific/Auckland' }, ['2026-12-07T20:00Z', '2026-12-14T20:00Z']],
  [
    'some weekdays, whatever their order',
    { every: 'week', on: [7, 3, 1] },
    ['2026-12-02T09:00Z', '2026-12-06T09:00Z', '2026-12-07T09:00Z', '2026-12-09T09:00Z'],
  ],
  [
    'every other week counts from the Monday of the first',
    { every: 'week', on: [1, 5], interval: 2 },
    ['2026-12-04T09:00Z', '2026-12-14T09:00Z', '2026-12-18T09:00Z', '2026-12-28T09:00Z'],
  ],
  ['a day of the month', { ...month, on: [15] }, ['2026-12-15T09:00Z', '2027-01-15T09:00Z']],
  ['a month without the day has no run', { ...month, on: [31] }, ['2026-12-31T09:00Z', '2027-01-31T09:00Z', '2027-03-31T09:00Z']],
  ['the last day', { ...month, on: [-1] }, ['2026-12-31T09:00Z', '2027-01-31T09:00Z', '2027-02-28T09:00Z', '2027-03-31T09:00Z']],
  ['the last day named twice', { ...month, on: [31, -1] }, ['2026-12-31T09:00Z', '2027-01-31T09:00Z', '2027-02-28T09:00Z']],
  ['the last and the first day', { ...month, on: [-1, 1] }, ['2026-12-31T09:00Z', '2027-01-01T09:00Z', '2027-01-31T09:00Z']],
  ['every third month', { ...month, on: [1], interval: 3 }, ['2027-03-01T09:00Z', '2027-06-01T09:00Z']],
  ['from an instant on, at that too', { from: '2027-01-05T09:00:00Z' }, ['2027-01-05T09:00Z', '2027-01-06T09:00Z']],
  [
    'intervals count from it',
    { ...week, on: [1, 5], interval: 2, from: '2027-01-05T09:00:00Z' },
    ['2027-01-08T09:00Z', '2027-01-18T09:00Z', '2027-01-22T09:00Z'],
  ],
  ['until an instant, with it', { until: '2026-12-03T09:00:00Z' }, ['2026-12-02T09:00Z', '2026-12-03T09:00Z']],
])('%s', (_, rule, expected) => {
  expect(instants(rule, rule.until ? 10 : expected.length)).toEqual(expected);
});

test.each<[string, Partial<Recurrence>, string]>([
  ['until before it begins', { from: '2027-01-05T09:00:00Z', until: '2027-01-04T09:00:00Z' }, MADE],
  ['a day that its months never have', { ...month, on: [31], interval: 12 }, '2027-04-01T00:00:00Z'],
  ['30 February', { ...month, on: [30], interval: 12 }, '2027-02-01T00:00:00Z'],
])('a rule that never runs has no instants: %s', (_, rule, madeAt) => {
  expect(instants(rule, 1, madeAt, madeAt)).toEqual([]);
});

test('29 February comes every four years, and not in 2100', () => {
  const rule = { ...month, on: [29], interval: 12 };
  expect(instants(rule, 2, '2027-02-01T00:00:00Z', '2027-02-01T00:00:00Z')).toEqual(['2028-02-29T09:00Z', '2032-02-29T09:00Z']);
  expect(instants(rule, 1, '2096-03-01T00:00:00Z', '2027-02-01T00:00:00Z')).toEqual(['2104-02-29T09:00Z']);
});

test.each<[string, Partial<Recurrence>, string, string[]]>([
  // Berlin: 02:00 to 03:00 is missing on 29 March 2026 and happens twice on 25 October.
  [
    'a time that does not exist runs at the first instant after the gap',
    { at: '02:30', timezone: 'Europe/Berlin' },
    '2026-03-27T12:00:00Z',
    ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  ],
  [
    'a time that occurs twice runs once, the first time',
    { at: '02:30', timezone: 'Europe/Berlin' },
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  ],
  [
    'the local time stays where the offset changes',
    { every: 'week', on: [7], timezone: 'America/New_York' },
    '2026-10-20T12:00:00Z',
    ['2026-10-25T13:00Z', '2026-11-01T14:00Z'],
  ],
  [
    'half an hour on Lord Howe',
    { at: '02:15', timezone: 'Australia/Lord_Howe' },
    '2026-10-03T00:00:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  ],
  [
    'a midnight that does not exist',
    { at: '00:00', timezone: 'America/Santiago' },
    '2026-09-05T12:00:00Z',
    ['2026-09-06T04:00Z', '2026-09-07T03:00Z'],
  ],
  [
    'a day that Samoa left out runs when the next one begins',
    { timezone: 'Pacific/Apia' },
    '2011-12-29T12:00:00Z',
    ['2011-12-29T19:00Z', '2011-12-30T10:00Z', '2011-12-30T19:00Z'],
  ],
])('%s', (_, rule, after, expected) => {
  expect(instants(rule, expected.length, after, after)).toEqual(expected);
});

test('whatever the rule, its instants are in order, after the one asked for, on its days and at its time, and the same from whichever of them', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Kiritimati'];
  const rules = fc.record({
    every: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    interval: fc.integer({ min: 1, max: 20 }),
    on: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
    hour: fc.integer({ min: 4, max: 22 }),
    timezone: fc.constantFrom(...zones),
    day: fc.integer({ min: 0, max: 2_000 }),
    later: fc.integer({ min: 0, max: 30 }),
  });
  fc.assert(
    fc.property(rules, ({ every, interval, on, hour, timezone, day, later }) => {
      const madeAt = new Date(Date.UTC(2024, 0, 1) + day * 86_400_000);
      const rule = { ...RULE, every, interval, on: every === 'day' ? [] : on, at: `${String(hour).padStart(2, '0')}:00`, timezone };
      const all = [...instantsAfter(rule, { madeAt, after: madeAt }).take(40)];
      expect(all).toEqual(all.toSorted((a, b) => a.getTime() - b.getTime()));
      expect(all).toHaveLength(40);
      for (const [index, instant] of all.entries()) {
        const local = DateTime.fromJSDate(instant, { zone: timezone });
        expect([local.hour, local.minute]).toEqual([hour, 0]);
        if (every === 'week') expect(on).toContain(local.weekday);
        if (every === 'month') expect(on).toContain(local.day);
        if (index > 0) expect(instant.getTime()).toBeGreaterThan(all[index - 1]!.getTime());
      }
      const after = all[later] as Date;
      expect([...instantsAfter(rule, { madeAt, after }).take(39 - later)]).toEqual(all.slice(later + 1));
    }),
  );
});

test('a rule without days is on that of its beginning, by its own calendar', () => {
  const at = new Date('2026-12-01T12:00:00Z');
  expect(usualDays({ every: 'week', timezone: 'Europe/Berlin' }, at)).toEqual([2]);
  expect(usualDays({ every: 'week', timezone: 'Pacific/Auckland' }, at)).toEqual([3]);
  expect(usualDays({ every: 'month', timezone: 'Pacific/Auckland' }, at)).toEqual([2]);
  expect(usualDays({ every: 'day', timezone: 'UTC' }, at)).toEqual([]);
});

test.each<[Partial<Recurrence>, string]>([
  [{}, 'every day at 09:00, UTC'],
  [{ every: 'week', on: [1, 4], interval: 2, timezone: 'Europe/Berlin' }, 'every 2 weeks on Monday and Thursday at 09:00, Europe/Berlin'],
  [{ every: 'month', on: [1, 15, -1] }, 'every month on day 1, day 15 and its last day at 09:00, UTC'],
  [
    { from: '2026-12-01T10:00:00.000Z', until: '2027-06-30T16:30:00.000Z', count: 1_200, timezone: 'Europe/Berlin' },
    'every day at 09:00, Europe/Berlin, from 2026-12-01 11:00, until 2027-06-30 18:30, 1,200 campaigns at most',
  ],
  [{ count: 1 }, 'every day at 09:00, UTC, once'],
])('%j in words: %s', (rule, words) => {
  expect(recurrenceWords({ ...RULE, ...rule })).toBe(words);
});
