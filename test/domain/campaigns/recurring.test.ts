import { expect, test } from 'vitest';
import type { Recurrence } from '../../../domain/campaigns/recurrence.ts';
import {
  dueInstants,
  endReason,
  instantsWhilePaused,
  MAX_PAUSED_RUNS,
  nextInstants,
  runName,
} from '../../../domain/campaigns/recurring.ts';

const RULE: Recurrence = { every: 'day', interval: 1, on: [], at: '09:00', timezone: 'UTC', from: null, until: null, count: null };
const madeAt = new Date('2026-12-01T10:00:00Z');
const day = (date: number): Date => new Date(Date.UTC(2026, 11, date, 9));
const NEW = { madeAt, after: madeAt, made: 0, settled: [] };

test('the next instants leave out those that have an outcome already', () => {
  expect(nextInstants(RULE, { ...NEW, settled: [day(3)] }, 3)).toEqual([day(2), day(4), day(5)]);
});

test('of a rule with a count only so many instants are left as campaigns may still be made', () => {
  const rule = { ...RULE, count: 3 };
  expect(nextInstants(rule, NEW, 5)).toEqual([day(2), day(3), day(4)]);
  expect(nextInstants(rule, { ...NEW, made: 2, after: day(3) }, 5)).toEqual([day(4)]);
  expect(nextInstants(rule, { ...NEW, made: 3, after: day(4) }, 5)).toEqual([]);
  expect([endReason(rule, 3), endReason(rule, 2)]).toEqual(['count', 'until']);
});

test.each([
  ['nothing is due before the instant', '2026-12-02T08:59:59.999Z', []],
  ['at the instant it is', '2026-12-02T09:00:00.000Z', [2]],
  ['after an outage all that have come since are', '2026-12-05T12:00:00.000Z', [2, 4, 5]],
])('%s', (_, now, due) => {
  expect(dueInstants(RULE, { madeAt, made: 0, settled: [day(3)] }, day(2), new Date(now))).toEqual(due.map(day));
});

test('of what came while it was paused the latest hundred that have no outcome count', () => {
  const standing = { madeAt, made: 0, settled: [day(3)] };
  expect(instantsWhilePaused(RULE, standing, day(2), day(5))).toEqual([day(4), day(5)]);
  const long = instantsWhilePaused(RULE, standing, day(2), day(202));
  expect([long.length, long[0], long.at(-1)]).toEqual([MAX_PAUSED_RUNS, day(103), day(202)]);
});

test('a campaign is called by the day where its rule is, within the length of names', () => {
  const at = new Date('2026-12-01T20:00:00Z');
  expect(runName('News', { ...RULE, timezone: 'Pacific/Auckland' }, at)).toBe('News 2026-12-02');
  expect(runName('x'.repeat(200), RULE, at)).toBe(`${'x'.repeat(189)} 2026-12-01`);
});
