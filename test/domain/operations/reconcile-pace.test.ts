import { expect, test } from 'vitest';
import { pauseAfterPass } from '../../../domain/operations/reconcile-pace.ts';

test('passes begin within a minute of each other, however long one takes that takes less, and a longer one is followed at once', () => {
  const begun = Date.UTC(2026, 5, 1);
  for (const tookMs of [0, 5_000, 30_000, 44_000]) expect(tookMs + pauseAfterPass(begun, begun + tookMs)).toBeLessThanOrEqual(45_000);
  for (const tookMs of [44_500, 60_000, 600_000]) expect(pauseAfterPass(begun, begun + tookMs)).toBe(1_000);
});
