import { expect, test } from 'vitest';
import { dateEntryName, dateTexts, dateValue, type EnteredDate, entryWithin } from '../../../domain/sequences/date-entry.ts';

const AROUND_DAYS = 20;

/** When a contact with this value enters, within some weeks around a day; undefined: it does not. */
function entryOf(rule: Partial<EnteredDate>, value: unknown, around: string, timezone: string | null = null): string | undefined {
  const whole: EnteredDate = { attribute: 'date', at: '09:00', timezone: 'contact', ...rule };
  const at = Date.parse(around);
  const window = { from: new Date(at - AROUND_DAYS * 86_400_000), to: new Date(at + AROUND_DAYS * 86_400_000) };
  const entry = entryWithin(whole, { timezone, value }, window);
  return entry && `${entry.date} at ${entry.dueAt.toISOString()}`;
}

test('a date enters once, at the local time of the contact, of the fallback or of UTC', () => {
  expect(entryOf({}, '2027-05-14', '2027-05-14')).toBe('2027-05-14 at 2027-05-14T09:00:00.000Z');
  expect(entryOf({}, '2027-05-14', '2027-05-14', 'Asia/Tokyo')).toBe('2027-05-14 at 2027-05-14T00:00:00.000Z');
  expect(entryOf({ fallback: 'America/New_York' }, '2027-05-14', '2027-05-14')).toBe('2027-05-14 at 2027-05-14T13:00:00.000Z');
  expect(entryOf({ timezone: undefined }, '2027-05-14', '2027-05-14', 'Asia/Tokyo')).toBe('2027-05-14 at 2027-05-14T09:00:00.000Z');
  expect(entryOf({}, '2026-05-14', '2027-05-14')).toBeUndefined();
});

test('every year it is the day of each year from the date on, 29 February the 28th where there is none', () => {
  const yearly = { every: 'year' } as const;
  expect(entryOf(yearly, '1990-05-14', '2027-05-14')).toBe('2027-05-14 at 2027-05-14T09:00:00.000Z');
  expect(entryOf(yearly, '2028-05-14', '2027-05-14')).toBeUndefined();
  expect(entryOf(yearly, '1992-02-29', '2027-03-01')).toBe('2027-02-28 at 2027-02-28T09:00:00.000Z');
  expect(entryOf(yearly, '1992-02-29', '2028-03-01')).toBe('2028-02-29 at 2028-02-29T09:00:00.000Z');
  expect(entryOf(yearly, '1991-02-28', '2028-03-01')).toBe('2028-02-28 at 2028-02-28T09:00:00.000Z');
});

test('the day on which a contact was added is where it lives, and of its years the next is the first', () => {
  const added = { attribute: undefined, field: 'created_at', timezone: 'contact' } as const;
  const at = dateValue(added as EnteredDate, { attributes: {}, created_at: new Date('2027-05-14T23:30:00Z') });
  expect(entryOf({ ...added, daysAfter: 3 }, at, '2027-05-14')).toBe('2027-05-14 at 2027-05-17T09:00:00.000Z');
  expect(entryOf({ ...added, daysAfter: 3 }, at, '2027-05-14', 'Europe/Vienna')).toBe('2027-05-15 at 2027-05-18T07:00:00.000Z');
  expect(entryOf({ ...added, every: 'year' }, at, '2027-05-14')).toBeUndefined();
  expect(entryOf({ ...added, every: 'year' }, at, '2028-05-14')).toBe('2028-05-14 at 2028-05-14T09:00:00.000Z');
});

test('days before and after count from the date, over the ends of months and years', () => {
  expect(entryOf({ daysBefore: 3 }, '2027-01-02', '2027-01-01')).toBe('2027-01-02 at 2026-12-30T09:00:00.000Z');
  expect(entryOf({ daysAfter: 2 }, '2027-02-27', '2027-03-01')).toBe('2027-02-27 at 2027-03-01T09:00:00.000Z');
  expect(entryOf({ every: 'year', daysBefore: 3 }, '1990-01-02', '2027-01-01')).toBe('2027-01-02 at 2026-12-30T09:00:00.000Z');
});

test('a time that clocks jump over is that of the jump, one that comes twice is the first', () => {
  const berlin = { at: '02:30', timezone: 'Europe/Berlin' };
  expect(entryOf(berlin, '2027-03-28', '2027-03-28')).toBe('2027-03-28 at 2027-03-28T01:00:00.000Z');
  expect(entryOf(berlin, '2027-10-31', '2027-10-31')).toBe('2027-10-31 at 2027-10-31T00:30:00.000Z');
});

test('a time with an offset is the day that it is where the contact lives; what is no date enters nobody', () => {
  expect(entryOf({}, '2027-05-14T23:30:00Z', '2027-05-14', 'Europe/Vienna')).toBe('2027-05-15 at 2027-05-15T07:00:00.000Z');
  expect(entryOf({}, '2027-05-14T23:30:00', '2027-05-14', 'Europe/Vienna')).toBe('2027-05-14 at 2027-05-14T07:00:00.000Z');
  for (const value of ['soon', '14.05.2027', '2027-5-14', '2027-02-30', '', 20270514, null, undefined, ['2027-05-14'], true])
    expect(entryOf({ every: 'year' }, value, '2027-05-14')).toBeUndefined();
});

test('every contact that has an entry in a window begins with one of its texts', () => {
  const zones = [null, 'Pacific/Kiritimati', 'Pacific/Niue', 'Europe/Vienna', 'America/Los_Angeles'];
  const rules: EnteredDate[] = [
    { attribute: 'date', at: '00:00', timezone: 'contact' },
    { attribute: 'date', at: '23:59', timezone: 'contact', every: 'year', daysBefore: 3 },
    { attribute: 'date', at: '09:00', timezone: 'contact', every: 'year', daysAfter: 365 },
  ];
  let entries = 0;
  for (const rule of rules)
    for (let hour = 0; hour < 24 * 40; hour += 37) {
      const from = new Date(Date.parse('2027-02-10T00:00:00Z') + hour * 3_600_000);
      const window = { from, to: new Date(from.getTime() + 26 * 3_600_000) };
      const texts = dateTexts(rule, window);
      expect(texts.length).toBeLessThan(12);
      for (const timezone of zones)
        for (let day = 0; day < 60; day += day < 30 || day > 40 ? 3 : 1) {
          const base = new Date(Date.parse('2027-01-25T00:00:00Z') + day * 86_400_000 - (rule.daysAfter ?? 0) * 86_400_000);
          const date = base.toISOString().slice(0, 10);
          for (const value of [date, `${date}T23:30:00-11:00`, `${date}T00:30:00+14:00`, ...(rule.every ? ['1992-02-29'] : [])]) {
            if (!entryWithin(rule, { timezone, value }, window)) continue;
            entries++;
            expect(texts).toContain(rule.every ? value.slice(5, 10) : value.slice(0, 10));
          }
        }
    }
  expect(entries).toBeGreaterThan(100);
});

test('another time or zone is for the same day, another day is not', () => {
  const rule: EnteredDate = { attribute: 'date', at: '09:00', every: 'year', daysBefore: 3 };
  expect(dateEntryName({ ...rule, at: '10:00', timezone: 'contact', fallback: 'Europe/Vienna' })).toBe(dateEntryName(rule));
  for (const other of [
    { daysBefore: 4 },
    { every: undefined },
    { attribute: 'other' },
    { attribute: undefined, field: 'created_at' },
    { daysBefore: undefined, daysAfter: 3 },
  ])
    expect(dateEntryName({ ...rule, ...other } as EnteredDate)).not.toBe(dateEntryName(rule));
});
