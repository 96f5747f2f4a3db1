import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { bucketsOf } from '../../../domain/operations/stat-periods.ts';

const HOUR_MS = 3_600_000;
const begins = (zone: string, now: string) => bucketsOf('7d', zone, new Date(now)).begins.map((begin) => begin.toISOString());

test.each([
  ['UTC', '2026-06-10T23:59:59.999Z', '2026-06-04T00:00:00.000Z', '2026-06-10T00:00:00.000Z'],
  ['Europe/Berlin', '2026-06-10T21:59:59.999Z', '2026-06-03T22:00:00.000Z', '2026-06-09T22:00:00.000Z'],
  ['Europe/Berlin', '2026-06-10T22:00:00.000Z', '2026-06-04T22:00:00.000Z', '2026-06-10T22:00:00.000Z'],
  ['America/Los_Angeles', '2026-06-10T06:30:00.000Z', '2026-06-03T07:00:00.000Z', '2026-06-09T07:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-06-10T10:00:00.000Z', '2026-06-04T10:00:00.000Z', '2026-06-10T10:00:00.000Z'],
  // Half an hour off: the hour in which a day begins belongs to the day before.
  ['Asia/Kolkata', '2026-06-10T18:59:59.999Z', '2026-06-03T19:00:00.000Z', '2026-06-09T19:00:00.000Z'],
  ['Asia/Kolkata', '2026-06-10T19:00:00.000Z', '2026-06-04T19:00:00.000Z', '2026-06-10T19:00:00.000Z'],
])('the days of %s at %s begin at %s, and today at %s', (zone, now, first, today) => {
  const days = begins(zone, now);
  expect([days.length, days[0], days.at(-1)]).toEqual([7, first, today]);
});

test('a day on which clocks are changed is an hour longer or shorter, also where midnight is the hour that is missing', () => {
  const hours = (zone: string, now: string) => {
    const all = begins(zone, now);
    return all.slice(1).map((begin, index) => (Date.parse(begin) - Date.parse(all[index]!)) / HOUR_MS);
  };
  expect(hours('Europe/Berlin', '2026-03-31T12:00:00Z')).toEqual([24, 24, 24, 24, 23, 24]);
  expect(hours('Europe/Berlin', '2026-10-27T12:00:00Z')).toEqual([24, 24, 24, 24, 25, 24]);
  expect(hours('Africa/Cairo', '2026-04-26T12:00:00Z')).toEqual([24, 24, 24, 24, 23, 24]);
});

test('of every zone and moment the hours of a period follow each other, and the last has begun', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');
  const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(zones, moments, fc.constantFrom('24h', '7d', '30d'), (zone, now, period) => {
      const { begins: all, end } = bucketsOf(period, zone, now);
      const days = new Set(all.map((begin) => DateTime.fromJSDate(begin, { zone }).toISODate()));
      if (period !== '24h') expect(days.size).toBe(all.length);
      expect(all.every((begin, index) => begin.getTime() % HOUR_MS === 0 && begin < (all[index + 1] ?? now.getTime() + 1))).toBe(true);
      expect(end.getTime() - HOUR_MS <= now.getTime() && now < end).toBe(true);
    }),
  );
});
