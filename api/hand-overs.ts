import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../db/orm.ts';
import { countHandOvers } from '../db/queries/enrollments.ts';
import { IN_HAND_MS } from '../domain/hand-over-times.ts';

const POLL_MS = 25;

/**
 * Waits until no mail of these enrollments, cancelled just before, is at the provider: after the answer to a cancellation nothing more is
 * handed over (decisions.md 9.7).
 */
export async function settleHandOvers(em: EntityManager, enrollmentIds: readonly string[], now: () => Date): Promise<void> {
  if (enrollmentIds.length === 0) return;
  const since = new Date(now().getTime() - IN_HAND_MS);
  const deadline = now().getTime() + IN_HAND_MS;
  while ((await countHandOvers(em, enrollmentIds, since)) > 0 && now().getTime() < deadline) await sleep(POLL_MS);
}
