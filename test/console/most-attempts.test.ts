import { expect, test } from '@jest/globals';
import { MOST_ATTEMPTS as SHOWN } from '../../console/src/pages/webhooks/most-attempts.ts';
import { MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';

test('the console names as many attempts of a delivery as are made', () => {
  expect(SHOWN).toBe(MOST_ATTEMPTS);
});
