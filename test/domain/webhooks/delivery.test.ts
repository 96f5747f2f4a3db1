import { expect, test } from 'vitest';
import { type AttemptAnswer, afterAttempt } from '../../../domain/webhooks/delivery.ts';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const MINUTE = 60;

/** Seconds until the next attempt, or what the delivery has become. */
function after(number: number, answer: AttemptAnswer, retryBaseSeconds = 2 * MINUTE): number | string {
  const { settled, ...rest } = afterAttempt(number, answer, { now: NOW, retryBaseSeconds });
  return settled ?? ((rest as { nextAt: Date }).nextAt.getTime() - NOW.getTime()) / 1000;
}

test('a delivery waits 2, 4, 8, 16 and 32 minutes, and has failed after its sixth attempt', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((number) => after(number, { status: 500 }));
  expect(waits).toEqual([2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 16 * MINUTE, 32 * MINUTE, 'failed', 'failed']);
});

test('no wait is longer than an hour', () => {
  expect(after(5, { status: 500 }, 30 * MINUTE)).toBe(60 * MINUTE);
});

test.each([
  ['longer than the planned wait is honoured', 1, 300, 300],
  ['shorter than the planned wait changes nothing', 2, 60, 240],
  ['over an hour counts as an hour', 1, 86_400, 3_600],
  ['that no number can hold counts as an hour', 1, Number.POSITIVE_INFINITY, 3_600],
  ['of nothing changes nothing', 1, 0, 120],
])('a Retry-After %s', (_what, number, retryAfterSeconds, wait) => {
  expect(after(number, { status: 503, retryAfterSeconds })).toBe(wait);
});

test('a Retry-After gives no delivery a seventh attempt', () => {
  expect(after(6, { status: 503, retryAfterSeconds: 10 })).toBe('failed');
});

test.each([200, 201, 202, 204, 299])('an answer of %d delivers, at any attempt', (status) => {
  expect([1, 6].map((number) => after(number, { status }))).toEqual(['delivered', 'delivered']);
});

test.each([100, 199, 300, 301, 302, 304, 307, 308, 400, 404, 410, 429, 500, 503])(
  'an answer of %d is a failure like the rest',
  (status) => {
    expect(after(1, { status })).toBe(2 * MINUTE);
    expect(after(6, { status })).toBe('failed');
  },
);

test('no answer is a failure like the rest', () => {
  expect(after(1, { status: null, error: 'timeout' })).toBe(2 * MINUTE);
  expect(after(6, { status: null, error: 'timeout' })).toBe('failed');
});
