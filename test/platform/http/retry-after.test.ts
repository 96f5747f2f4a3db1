import { expect, test } from 'vitest';
import { retryAfterSeconds } from '../../../platform/http/retry-after.ts';

const NOW = Date.parse('2026-06-10T09:00:00Z');

test.each([
  ['120', 120],
  ['0', 0],
  ['Wed, 10 Jun 2026 09:02:00 GMT', 120],
  ['Wed, 10 Jun 2026 08:00:00 GMT', 0],
  ['soon', undefined],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  [['30', '60'], 30],
  [undefined, undefined],
])('Retry-After %s is %s seconds', (value, seconds) => {
  expect(retryAfterSeconds(value === undefined ? {} : { 'retry-after': value }, NOW)).toBe(seconds);
});
