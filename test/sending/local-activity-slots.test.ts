import { expect, test } from '@jest/globals';
import { createLocalActivitySlots, shareOfQueue } from '../../sending/local-activity-slots.ts';

test('no more mails go by local activities at once than there are slots, also when a slot is given back twice', () => {
  const slots = createLocalActivitySlots(2);
  const first = slots.tryTake();
  expect([first, slots.tryTake(), slots.tryTake()].map((slot) => slot !== undefined)).toEqual([true, true, false]);
  first?.();
  first?.();
  expect([slots.tryTake(), slots.tryTake()].map((slot) => slot !== undefined)).toEqual([true, false]);
});

test('where a rate bounds the sends no mail goes past the queue that keeps it', () => {
  expect(shareOfQueue(20, 5)).toBe(20);
  expect([1, 4, 20].map((concurrency) => shareOfQueue(concurrency, 0))).toEqual([1, 1, 5]);
});
