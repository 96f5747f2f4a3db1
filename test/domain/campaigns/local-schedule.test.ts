import { expect, test } from 'vitest';
import { closedUntil, firstAndLast, instantIn, zoneTimes } from '../../../domain/campaigns/local-schedule.ts';

test.each([
  ['Europe/Berlin', '2026-12-01', '09:00', '2026-12-01T08:00:00.000Z'],
  ['America/New_York', '2026-12-01', '09:00', '2026-12-01T14:00:00.000Z'],
  ['Asia/Kathmandu', '2026-12-01', '09:00', '2026-12-01T03:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-12-01', '09:00', '2026-11-30T19:00:00.000Z'],
  // Clocks jump from 02:00 to 03:00: the moment of the jump.
  ['Europe/Berlin', '2027-03-28', '02:30', '2027-03-28T01:00:00.000Z'],
  // It is 02:30 twice: the first time.
  ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
  // Half an hour forward, south of the equator.
  ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z'],
])('in %s it is %s %s at %s', (zone, date, at, instant) => {
  expect(instantIn(zone, { date, at }).toISOString()).toBe(instant);
});

test('a day begins first in Kiritimati and last on Baker Island, in no zone earlier or later', () => {
  const schedule = { date: '2026-12-01', at: '09:00' };
  const { first, last } = firstAndLast(schedule);
  const all = Intl.supportedValuesOf('timeZone').map((zone) => instantIn(zone, schedule).getTime());
  expect([Math.min(...all) >= first.getTime(), Math.max(...all) <= last.getTime()]).toEqual([true, true]);
  expect((last.getTime() - first.getTime()) / 3_600_000).toBe(26);
});

const LAUNCHED = new Date('2026-12-01T07:00:00Z');

test('who has no zone has the time of the fallback, and who is late is so as of the launch', () => {
  const schedule = { date: '2026-12-01', at: '09:00', fallback: 'Europe/Berlin', late: 'skip' } as const;
  const times = zoneTimes(['Asia/Tokyo', 'America/Lima'], { local: schedule, window: null, settledAt: LAUNCHED, now: LAUNCHED });
  expect(times.map(({ timezone, at, isLate }) => [timezone, at.toISOString(), isLate])).toEqual([
    [null, '2026-12-01T08:00:00.000Z', false],
    ['Asia/Tokyo', '2026-12-01T00:00:00.000Z', true],
    ['America/Lima', '2026-12-01T14:00:00.000Z', false],
  ]);
});

const WINDOW = { from: '09:00', to: '12:00', timezone: 'contact', fallback: 'Europe/Berlin', transactional: false };

test.each([
  ['without a time of its own', null, ['2026-12-01T08:00:00.000Z', '2026-12-02T00:00:00.000Z', '2026-12-01T14:00:00.000Z']],
  ['with one before it opens', '07:00', ['2026-12-01T08:00:00.000Z', '2026-12-02T00:00:00.000Z', '2026-12-01T14:00:00.000Z']],
  ['with one while it is open', '10:00', ['2026-12-01T09:00:00.000Z', '2026-12-02T00:00:00.000Z', '2026-12-01T15:00:00.000Z']],
  ['with one after it', '13:00', ['2026-12-02T08:00:00.000Z', '2026-12-02T00:00:00.000Z', '2026-12-02T14:00:00.000Z']],
] as const)('within a window each zone goes at the later of both: %s', (_, at, expected) => {
  const local = at === null ? null : ({ date: '2026-12-01', at, fallback: 'Europe/Berlin', late: 'send' } as const);
  const times = zoneTimes(['Asia/Tokyo', 'America/Lima'], { local, window: WINDOW, settledAt: LAUNCHED, now: LAUNCHED });
  expect(times.map((time) => time.at.toISOString())).toEqual(expected);
});

test('who is closed out waits until the window opens there', () => {
  expect(closedUntil(WINDOW, '', LAUNCHED)?.toISOString()).toBe('2026-12-01T08:00:00.000Z');
  expect(closedUntil(WINDOW, 'Asia/Dubai', LAUNCHED)).toBeUndefined();
  expect(closedUntil({ ...WINDOW, timezone: 'Asia/Tokyo' }, 'Asia/Dubai', LAUNCHED)?.toISOString()).toBe('2026-12-02T00:00:00.000Z');
});
