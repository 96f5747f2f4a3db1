import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { type LocalTime, nextLocalTime, resolveZone } from '../../../domain/sequences/local-time.ts';

const next = (time: LocalTime, zone: string, now: string): string | undefined => nextLocalTime(time, zone, new Date(now))?.toISOString();

test.each<[string, LocalTime, string, string]>([
  // An ordinary day.
  ['UTC', { at: '09:00' }, '2026-06-10T08:59:59.999Z', '2026-06-10T09:00:00.000Z'],
  ['UTC', { at: '09:00' }, '2026-06-10T09:00:00.000Z', '2026-06-11T09:00:00.000Z'],
  ['UTC', { at: '09:00' }, '2026-06-10T09:00:00.001Z', '2026-06-11T09:00:00.000Z'],
  ['UTC', {}, '2026-06-10T09:00:00Z', '2026-06-11T00:00:00.000Z'],
  ['Europe/Berlin', {}, '2026-06-10T21:59:00Z', '2026-06-10T22:00:00.000Z'],
  ['America/New_York', { at: '23:30' }, '2026-06-11T01:00:00Z', '2026-06-11T03:30:00.000Z'],
  ['Asia/Kathmandu', { at: '09:00' }, '2026-06-10T00:00:00Z', '2026-06-10T03:15:00.000Z'],
  ['Pacific/Kiritimati', { at: '00:30' }, '2026-06-10T10:00:00Z', '2026-06-10T10:30:00.000Z'],
  ['Pacific/Pago_Pago', { at: '23:30' }, '2026-06-10T10:00:00Z', '2026-06-10T10:30:00.000Z'],
  // Weekdays: 2026-06-10 is a Wednesday.
  ['UTC', { at: '09:00', weekdays: [3] }, '2026-06-10T08:00:00Z', '2026-06-10T09:00:00.000Z'],
  ['UTC', { at: '09:00', weekdays: [3] }, '2026-06-10T09:00:00Z', '2026-06-17T09:00:00.000Z'],
  ['UTC', { at: '09:00', weekdays: [1, 5] }, '2026-06-10T09:00:00Z', '2026-06-12T09:00:00.000Z'],
  ['UTC', { weekdays: [7] }, '2026-06-10T09:00:00Z', '2026-06-14T00:00:00.000Z'],
  ['UTC', { weekdays: [] }, '2026-06-10T09:00:00Z', '2026-06-11T00:00:00.000Z'],
  ['Pacific/Auckland', { at: '08:00', weekdays: [1] }, '2026-06-14T19:00:00Z', '2026-06-14T20:00:00.000Z'],
  // A date.
  ['Europe/Berlin', { date: '2026-12-24', at: '18:00' }, '2026-06-10T09:00:00Z', '2026-12-24T17:00:00.000Z'],
  ['Europe/Berlin', { date: '2026-12-24' }, '2026-06-10T09:00:00Z', '2026-12-23T23:00:00.000Z'],
  ['UTC', { date: '2026-06-10', at: '09:00' }, '2026-06-10T08:59:59Z', '2026-06-10T09:00:00.000Z'],
  ['UTC', { date: '2026-06-10', at: '09:00', weekdays: [5] }, '2026-06-01T00:00:00Z', '2026-06-12T09:00:00.000Z'],
  // 29 February.
  ['Europe/Berlin', { at: '09:00' }, '2028-02-28T12:00:00Z', '2028-02-29T08:00:00.000Z'],
  ['Europe/Berlin', { at: '09:00' }, '2028-02-29T12:00:00Z', '2028-03-01T08:00:00.000Z'],
  ['Europe/Berlin', { at: '09:00' }, '2027-02-28T12:00:00Z', '2027-03-01T08:00:00.000Z'],
  ['Europe/Berlin', { date: '2028-02-29', at: '09:00' }, '2026-01-01T00:00:00Z', '2028-02-29T08:00:00.000Z'],
  ['UTC', { at: '09:00', weekdays: [2] }, '2028-02-28T12:00:00Z', '2028-02-29T09:00:00.000Z'],
  // Berlin: 02:00 to 03:00 is missing on 29 March 2026 and happens twice on 25 October.
  ['Europe/Berlin', { at: '01:59' }, '2026-03-28T12:00:00Z', '2026-03-29T00:59:00.000Z'],
  ['Europe/Berlin', { at: '02:00' }, '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', { at: '02:30' }, '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', { at: '03:00' }, '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', { at: '03:30' }, '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', { at: '02:30' }, '2026-03-29T01:00:00Z', '2026-03-30T00:30:00.000Z'],
  ['Europe/Berlin', { at: '09:00' }, '2026-03-28T12:00:00Z', '2026-03-29T07:00:00.000Z'],
  ['Europe/Berlin', { at: '02:00' }, '2026-10-24T12:00:00Z', '2026-10-25T00:00:00.000Z'],
  ['Europe/Berlin', { at: '02:30' }, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', { at: '03:00' }, '2026-10-24T12:00:00Z', '2026-10-25T02:00:00.000Z'],
  ['Europe/Berlin', { at: '02:30' }, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
  ['Europe/Berlin', { at: '02:30' }, '2026-10-25T01:00:00Z', '2026-10-26T01:30:00.000Z'],
  // New York: 02:00 to 03:00 is missing on 8 March 2026; 01:00 to 02:00 happens twice on 1 November.
  ['America/New_York', { at: '02:30' }, '2026-03-08T05:00:00Z', '2026-03-08T07:00:00.000Z'],
  ['America/New_York', { at: '01:30' }, '2026-11-01T04:00:00Z', '2026-11-01T05:30:00.000Z'],
  ['America/New_York', { at: '01:30' }, '2026-11-01T06:00:00Z', '2026-11-02T06:30:00.000Z'],
  ['America/New_York', { at: '02:00' }, '2026-11-01T04:00:00Z', '2026-11-01T07:00:00.000Z'],
  // Lord Howe moves by half an hour: 02:00 to 02:30 is missing on 4 October 2026; 01:30 to 02:00 happens twice on 5 April.
  ['Australia/Lord_Howe', { at: '02:15' }, '2026-10-03T12:00:00Z', '2026-10-03T15:30:00.000Z'],
  ['Australia/Lord_Howe', { at: '02:45' }, '2026-10-03T12:00:00Z', '2026-10-03T15:45:00.000Z'],
  ['Australia/Lord_Howe', { at: '01:45' }, '2026-04-04T12:00:00Z', '2026-04-04T14:45:00.000Z'],
  ['Australia/Lord_Howe', { at: '02:00' }, '2026-04-04T12:00:00Z', '2026-04-04T15:30:00.000Z'],
  // Casablanca leaves its summer time for Ramadan: back on 15 February 2026, forward on 22 March.
  ['Africa/Casablanca', { at: '09:00' }, '2026-02-14T12:00:00Z', '2026-02-15T09:00:00.000Z'],
  ['Africa/Casablanca', { at: '02:30' }, '2026-02-14T12:00:00Z', '2026-02-15T01:30:00.000Z'],
  ['Africa/Casablanca', { at: '02:30' }, '2026-03-21T12:00:00Z', '2026-03-22T02:00:00.000Z'],
  ['Africa/Casablanca', { at: '09:00' }, '2026-03-21T12:00:00Z', '2026-03-22T08:00:00.000Z'],
  // Apia had no 30 December 2011.
  ['Pacific/Apia', { date: '2011-12-30', at: '09:00' }, '2011-12-01T00:00:00Z', '2011-12-30T10:00:00.000Z'],
  ['Pacific/Apia', { at: '09:00' }, '2011-12-30T09:00:00Z', '2011-12-30T10:00:00.000Z'],
  ['Pacific/Apia', { at: '09:00' }, '2011-12-30T10:00:00Z', '2011-12-30T19:00:00.000Z'],
  ['Pacific/Apia', { at: '09:00', weekdays: [6] }, '2011-12-30T09:00:00Z', '2011-12-30T19:00:00.000Z'],
  // São Paulo had no midnight on 4 November 2018, and 23:00 to midnight twice on 17 February.
  ['America/Sao_Paulo', {}, '2018-11-03T12:00:00Z', '2018-11-04T03:00:00.000Z'],
  ['America/Sao_Paulo', { at: '00:30', weekdays: [7] }, '2018-11-03T12:00:00Z', '2018-11-04T03:00:00.000Z'],
  ['America/Sao_Paulo', { at: '23:30' }, '2018-02-17T20:00:00Z', '2018-02-18T01:30:00.000Z'],
  ['America/Sao_Paulo', { at: '23:30' }, '2018-02-18T02:10:00Z', '2018-02-19T02:30:00.000Z'],
  ['America/Sao_Paulo', {}, '2018-02-18T02:10:00Z', '2018-02-18T03:00:00.000Z'],
])('in %s %j from %s is %s', (zone, time, now, expected) => {
  expect(next(time, zone, now)).toBe(expected);
});

test.each<[LocalTime, string]>([
  [{ date: '2026-06-09' }, '2026-06-10T08:00:00Z'],
  [{ date: '2026-06-10' }, '2026-06-09T22:00:00Z'],
  [{ date: '2026-06-10', at: '09:00' }, '2026-06-10T07:00:00Z'],
  [{ date: '2026-06-08', at: '09:00', weekdays: [2] }, '2026-06-10T07:00:00Z'],
])('in Berlin %j has passed at %s, so there is nothing to wait for', (time, now) => {
  expect(next(time, 'Europe/Berlin', now)).toBeUndefined();
});

test.each<[Parameters<typeof resolveZone>[0], string | null, string]>([
  [{ timezone: 'Europe/Berlin' }, 'America/New_York', 'Europe/Berlin'],
  [{ timezone: 'contact' }, 'America/New_York', 'America/New_York'],
  [{ timezone: 'contact', fallback: 'Asia/Tokyo' }, null, 'Asia/Tokyo'],
  [{ timezone: 'contact', fallback: 'Asia/Tokyo' }, 'Mars/Olympus', 'Asia/Tokyo'],
  [{ timezone: 'Mars/Olympus', fallback: 'Asia/Tokyo' }, 'America/New_York', 'Asia/Tokyo'],
  [{ fallback: 'Asia/Tokyo' }, 'America/New_York', 'Asia/Tokyo'],
  [{ timezone: 'contact' }, null, 'UTC'],
  [{ timezone: 'contact', fallback: '+02:00' }, '', 'UTC'],
  [{}, 'America/New_York', 'UTC'],
])('%j for a contact of %j is %s', (time, contactZone, expected) => {
  expect(resolveZone(time, contactZone)).toBe(expected);
});

const zone = fc.oneof(
  fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/Sao_Paulo', 'Pacific/Apia'),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);
const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
const at = fc
  .nat({ max: 1439 })
  .map((minutes) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`);
const weekdays = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), { nil: undefined });

test('what comes next is after now, shows the wanted time on a wanted day, and skips no earlier one', () => {
  fc.assert(
    fc.property(zone, instant, at, weekdays, (zone, now, at, weekdays) => {
      const found = nextLocalTime({ at, weekdays }, zone, now) as Date;
      expect(found.getTime()).toBeGreaterThan(now.getTime());
      const local = DateTime.fromJSDate(found, { zone });
      const shown = local.toFormat('HH:mm');
      if (shown === at) {
        expect(local.toFormat('ss.SSS')).toBe('00.000');
        expect(weekdays ?? [local.weekday]).toContain(local.weekday);
        expect(local.valueOf()).toBe(Math.min(...local.getPossibleOffsets().map((each) => each.valueOf())));
      } else {
        // Only where the clocks just jumped forward over the wanted time.
        expect(local.offset).toBeGreaterThan(local.minus(1).offset);
      }
      const days = (found.getTime() - now.getTime()) / 86_400_000;
      expect(days).toBeLessThanOrEqual(weekdays ? 8.1 : 1.1);
      // Asking anywhere between now and the answer gives the same answer.
      const between = new Date(now.getTime() + (found.getTime() - now.getTime()) * 0.9);
      if (between < found) expect(nextLocalTime({ at, weekdays }, zone, between)).toEqual(found);
    }),
    { numRuns: 1500 },
  );
});
