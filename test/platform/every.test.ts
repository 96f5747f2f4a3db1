import { expect, test } from 'vitest';
import { every } from '../../platform/every.ts';

test('work is done at once and again, one at a time, also after it has failed; stopping waits for what is under way and ends it', async () => {
  const failures: unknown[] = [];
  let atOnce = 0;
  let done = 0;
  const third = Promise.withResolvers<void>();
  const repeating = every(
    1,
    async (stopping) => {
      expect(++atOnce).toBe(1);
      if (++done === 3) {
        third.resolve();
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
      }
      atOnce--;
      if (done === 1) throw new Error('the first fails');
    },
    (error) => failures.push(error),
  );
  await third.promise;
  await repeating.stop();
  expect({ done, atOnce, failures }).toEqual({ done: 3, atOnce: 0, failures: [new Error('the first fails')] });
});
