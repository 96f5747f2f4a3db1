import { expect, test } from '@jest/globals';
import { createRideSlots, shareOfQueue } from '../../sending/ride-slots.ts';

test('no more mails ride at once than there are slots, also when a slot is given back twice', () => {
  const slots = createRideSlots(2);
  const first = slots.tryTake();
  expect([first, slots.tryTake(), slots.tryTake()].map((slot) => slot !== undefined)).toEqual([true, true, false]);
  first?.();
  first?.();
  expect([slots.tryTake(), slots.tryTake()].map((slot) => slot !== undefined)).toEqual([true, false]);
});

test('where a rate bounds the sends nothing rides past the queue that keeps it', () => {
  expect(shareOfQueue(20, 5)).toBe(20);
  expect([1, 4, 20].map((concurrency) => shareOfQueue(concurrency, 0))).toEqual([1, 1, 5]);
});
