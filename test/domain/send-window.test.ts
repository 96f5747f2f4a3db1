import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { isOpen, openingAt, type SendWindow, windowInstant, windowOf, zoneOfWindow } from '../../domain/send-window.ts';
import { SendWindowInput } from '../../domain/send-window-schema.ts';

type Hours = Pick<SendWindow, 'from' | 'to' | 'days'>;

const OFFICE: Hours = { from: '09:00', to: '18:00' };
const WEEK: Hours = { ...OFFICE, days: [1, 2, 3, 4, 5] };
const NIGHT: Hours = { from: '22:00', to: '02:30', days: [5] };

function opening(hours: Hours, zone: string, at: string): readonly [string, string] {
  const { opensAt, closesAt } = openingAt(hours, zone, new Date(at));
  return [opensAt.toISOString(), closesAt.toISOString()];
}

// 2026-06-10 is a Wednesday.
test.each<[string, string, Hours, string, string, string]>([
  ['before it opens', 'UTC', OFFICE, '2026-06-10T08:59:59.999Z', '2026-06-10T09:00:00.000Z', '2026-06-10T18:00:00.000Z'],
  ['as it opens', 'UTC', OFFICE, '2026-06-10T09:00:00Z', '2026-06-10T09:00:00.000Z', '2026-06-10T18:00:00.000Z'],
  ['before it closes', 'UTC', OFFICE, '2026-06-10T17:59:59.999Z', '2026-06-10T09:00:00.000Z', '2026-06-10T18:00:00.000Z'],
  ['as it closes', 'UTC', OFFICE, '2026-06-10T18:00:00Z', '2026-06-11T09:00:00.000Z', '2026-06-11T18:00:00.000Z'],
  ['by the clock of a zone', 'Asia/Kathmandu', OFFICE, '2026-06-10T03:14:00Z', '2026-06-10T03:15:00.000Z', '2026-06-10T12:15:00.000Z'],
  ['by the day of a zone', 'Pacific/Kiritimati', OFFICE, '2026-06-10T10:00:00Z', '2026-06-10T19:00:00.000Z', '2026-06-11T04:00:00.000Z'],
  ['Friday evening', 'Europe/Vienna', WEEK, '2026-06-12T16:00:00Z', '2026-06-15T07:00:00.000Z', '2026-06-15T16:00:00.000Z'],
  [
    'Friday in UTC, Saturday there',
    'Pacific/Auckland',
    WEEK,
    '2026-06-12T21:30:00Z',
    '2026-06-14T21:00:00.000Z',
    '2026-06-15T06:00:00.000Z',
  ],
  ['Sunday in UTC, Monday there', 'Pacific/Auckland', WEEK, '2026-06-14T21:30:00Z', '2026-06-14T21:00:00.000Z', '2026-06-15T06:00:00.000Z'],
  [
    'once a week, just closed',
    'UTC',
    { ...OFFICE, days: [3] },
    '2026-06-10T18:00:00Z',
    '2026-06-17T09:00:00.000Z',
    '2026-06-17T18:00:00.000Z',
  ],
  ['over midnight, the evening before', 'UTC', NIGHT, '2026-06-12T21:00:00Z', '2026-06-12T22:00:00.000Z', '2026-06-13T02:30:00.000Z'],
  ['over midnight, on the next day', 'UTC', NIGHT, '2026-06-13T02:29:00Z', '2026-06-12T22:00:00.000Z', '2026-06-13T02:30:00.000Z'],
  [
    'the morning of the day on which it opens',
    'UTC',
    NIGHT,
    '2026-06-12T01:00:00Z',
    '2026-06-12T22:00:00.000Z',
    '2026-06-13T02:30:00.000Z',
  ],
  [
    'until the end of the day',
    'UTC',
    { from: '20:00', to: '24:00' },
    '2026-06-10T23:59:00Z',
    '2026-06-10T20:00:00.000Z',
    '2026-06-11T00:00:00.000Z',
  ],
  [
    'a whole day',
    'UTC',
    { from: '00:00', to: '24:00', days: [6] },
    '2026-06-10T12:00:00Z',
    '2026-06-13T00:00:00.000Z',
    '2026-06-14T00:00:00.000Z',
  ],
  // Vienna: 02:00 to 03:00 is missing on Sunday, 29 March 2026.
  ['nine by the clock of summer', 'Europe/Vienna', OFFICE, '2026-03-28T18:00:00Z', '2026-03-29T07:00:00.000Z', '2026-03-29T16:00:00.000Z'],
  [
    'opens within the jump',
    'Europe/Vienna',
    { from: '02:30', to: '04:00' },
    '2026-03-28T12:00:00Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T02:00:00.000Z',
  ],
  [
    'closes within the jump',
    'Europe/Vienna',
    { from: '01:00', to: '02:30' },
    '2026-03-28T12:00:00Z',
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
  ],
  [
    'is jumped over',
    'Europe/Vienna',
    { from: '02:00', to: '03:00' },
    '2026-03-28T12:00:00Z',
    '2026-03-30T00:00:00.000Z',
    '2026-03-30T01:00:00.000Z',
  ],
  [
    'is jumped over, with a week to wait',
    'Europe/Vienna',
    { from: '02:00', to: '03:00', days: [7] },
    '2026-03-22T02:30:00Z',
    '2026-04-05T00:00:00.000Z',
    '2026-04-05T01:00:00.000Z',
  ],
  [
    'a day of 23 hours',
    'Europe/Vienna',
    { from: '00:00', to: '24:00', days: [7] },
    '2026-03-29T12:00:00Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ],
  // 02:00 to 03:00 exists twice on Sunday, 25 October 2026.
  ['nine by the clock of winter', 'Europe/Vienna', OFFICE, '2026-10-24T18:00:00Z', '2026-10-25T08:00:00.000Z', '2026-10-25T17:00:00.000Z'],
  [
    'opens within the hour that is twice',
    'Europe/Vienna',
    { from: '02:30', to: '04:00' },
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T03:00:00.000Z',
  ],
  [
    'stays open while the hour comes again',
    'Europe/Vienna',
    { from: '02:30', to: '04:00' },
    '2026-10-25T01:10:00Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T03:00:00.000Z',
  ],
  [
    'closes within the hour that is twice',
    'Europe/Vienna',
    { from: '01:00', to: '02:30' },
    '2026-10-25T00:29:00Z',
    '2026-10-24T23:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
  ],
  [
    'stays closed while the hour comes again',
    'Europe/Vienna',
    { from: '01:00', to: '02:30' },
    '2026-10-25T01:10:00Z',
    '2026-10-26T00:00:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ],
  [
    'over midnight into the change',
    'America/New_York',
    { from: '22:00', to: '06:00' },
    '2026-03-08T08:00:00Z',
    '2026-03-08T03:00:00.000Z',
    '2026-03-08T10:00:00.000Z',
  ],
  // Beirut: its day begins at 01:00 on Sunday, 29 March 2026.
  [
    'opens at a midnight that there is not',
    'Asia/Beirut',
    { from: '00:00', to: '06:00' },
    '2026-03-28T12:00:00Z',
    '2026-03-28T22:00:00.000Z',
    '2026-03-29T03:00:00.000Z',
  ],
])('%s: the opening that counts', (_, zone, hours, at, opensAt, closesAt) => {
  expect(opening(hours, zone, at)).toEqual([opensAt, closesAt]);
});

const hour = fc.integer({ min: 0, max: 23 });
const minute = fc.integer({ min: 0, max: 59 });
const time = fc.tuple(hour, minute).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const zone = fc.constantFrom(
  'Europe/Vienna',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'America/St_Johns',
);
const days = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }), { nil: undefined });

test('an opening begins when clocks show its time on one of its days, and none is missed', () => {
  fc.assert(
    fc.property(
      time,
      time,
      days,
      zone,
      fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      (from, to, on, in_, at) => {
        fc.pre(from !== to);
        const hours = { from, to, days: on };
        const { opensAt, closesAt } = openingAt(hours, in_, at);
        expect(at < closesAt && opensAt < closesAt).toBe(true);
        const local = DateTime.fromJSDate(opensAt, { zone: in_ });
        // Within an hour of a change the clock may not show the time at all.
        const isOrdinary = local.minus({ hours: 2 }).offset === local.plus({ hours: 2 }).offset;
        if (isOrdinary) expect(local.toFormat('HH:mm')).toBe(from);
        if (isOrdinary && on) expect(on).toContain(local.weekday);
        // Just before it opens it is still the next one.
        if (opensAt > at) expect(openingAt(hours, in_, new Date(opensAt.getTime() - 1)).opensAt).toEqual(opensAt);
        expect(isOpen(openingAt(hours, in_, opensAt), opensAt)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

const WINDOW: SendWindow = { ...OFFICE, timezone: 'contact', fallback: 'Europe/Vienna', transactional: false };

test.each<[string, SendWindow, string | null, string]>([
  ['of the contact', WINDOW, 'America/New_York', 'America/New_York'],
  ['of who has none', WINDOW, null, 'Europe/Vienna'],
  ['of who has one that nobody knows', WINDOW, 'Mars/Olympus', 'Europe/Vienna'],
  ['of the window', { ...WINDOW, timezone: 'Asia/Tokyo' }, 'America/New_York', 'Asia/Tokyo'],
])('the zone %s', (_, window, contactZone, expected) => {
  expect(zoneOfWindow(window, contactZone)).toBe(expected);
});

test('a mail goes at once while the window is open, else when it opens', () => {
  const [open, closed] = [new Date('2026-06-10T10:00:00Z'), new Date('2026-06-10T20:00:00Z')];
  expect(windowInstant(WINDOW, null, open)).toEqual(open);
  expect(windowInstant(WINDOW, null, closed)).toEqual(new Date('2026-06-11T07:00:00Z'));
});

test("a window of its own takes the place of the project's, none has none", () => {
  const own = { ...WINDOW, from: '10:00' };
  expect([
    windowOf(null, WINDOW),
    windowOf(undefined, WINDOW),
    windowOf(own, WINDOW),
    windowOf('none', WINDOW),
    windowOf(null, null),
  ]).toEqual([WINDOW, WINDOW, own, null, null]);
});

test.each<[unknown, string]>([
  [{ from: '9:00', to: '18:00', timezone: 'UTC' }, 'from'],
  [{ from: '24:00', to: '18:00', timezone: 'UTC' }, 'from'],
  [{ from: '09:00', to: '24:30', timezone: 'UTC' }, 'to'],
  [{ from: '09:00', to: '09:00', timezone: 'UTC' }, 'to'],
  [{ from: '09:00', to: '18:00', days: [], timezone: 'UTC' }, 'days'],
  [{ from: '09:00', to: '18:00', days: [0], timezone: 'UTC' }, 'days.0'],
  [{ from: '09:00', to: '18:00', days: [1, 1], timezone: 'UTC' }, 'days'],
  [{ from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5, 6, 7, 1], timezone: 'UTC' }, 'days'],
  [{ from: '09:00', to: '18:00', timezone: '+02:00' }, 'timezone'],
  [{ from: '09:00', to: '18:00' }, 'timezone'],
  [{ from: '09:00', to: '18:00', timezone: 'contact', fallback: 'contact' }, 'fallback'],
  [{ from: '09:00', to: '18:00', timezone: 'UTC', transactional: 'yes' }, 'transactional'],
])('%j is refused by its path', (given, path) => {
  const { error } = SendWindowInput.safeParse(given);
  expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
});
