import { expect, test } from 'vitest';
import { createDueTogether } from '../../../domain/webhooks/due-together.ts';

test('of the later attempts of an endpoint twenty within ten seconds are for workflows, and those beyond for its burst', () => {
  let nowMs = 0;
  const together = createDueTogether(() => nowMs);
  const asked = (endpointId: string, count: number): boolean[] => Array.from({ length: count }, () => together.isOneOfMany(endpointId));
  expect(asked('a', 20)).toEqual(Array(20).fill(false));
  nowMs = 9_999;
  expect([asked('a', 2), asked('b', 1)]).toEqual([[true, true], [false]]);
  nowMs = 10_000;
  expect(asked('a', 21)).toEqual([...Array(20).fill(false), true]);
});
