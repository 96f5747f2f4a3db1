import { expect, test } from 'vitest';
import { Outage } from '../../platform/outage.ts';

test('of an outage one refusal is told, and one end with its seconds and all refusals, those before it had begun too', () => {
  const outage = new Outage();
  for (const at of [1_000, 4_000]) outage.refused(at);
  expect([outage.isTold, outage.begin(), outage.begin(), outage.isTold]).toEqual([false, true, false, true]);
  outage.refused(9_000);
  expect([outage.soFar(10_000), outage.end(61_000)]).toEqual([
    { seconds: 9, refused: 3 },
    { seconds: 60, refused: 3 },
  ]);
  expect(outage.end(62_000)).toBeUndefined();
});

test('refusals of which nobody was told end untold, and do not count for the next outage', () => {
  const outage = new Outage();
  outage.refused(0);
  expect(outage.end(500)).toBeUndefined();
  expect(outage.hasLasted(0, 600)).toBe(false);
  outage.refused(60_000);
  expect([outage.begin(), outage.refusals, outage.end(62_000)]).toEqual([true, 1, { seconds: 2, refused: 1 }]);
});

test('it has lasted from the first refusal since it was last there', () => {
  const outage = new Outage();
  for (const at of [0, 8_000]) outage.refused(at);
  expect([9_999, 10_000].map((at) => outage.hasLasted(10_000, at))).toEqual([false, true]);
});
