import { expect, test } from 'vitest';
import { shareOfQueue } from '../../sending/local-activity-slots.ts';

test('where a rate bounds the sends no mail goes past the queue that keeps it', () => {
  expect(shareOfQueue(20, 5)).toBe(20);
  expect([1, 4, 20].map((concurrency) => shareOfQueue(concurrency, 0))).toEqual([1, 1, 5]);
});
