import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../db/orm.ts';
import { countHandOvers } from '../db/queries/enrollments.ts';

const POLL_MS = 25;
/**
 * A hand-over begins its last try within 10 s, and a try takes 10 s at most; one that is open longer died with its process and hands
 * nothing over any more.
 */
const LONGEST_MS = 22_000;

/**
 * Waits until no mail of these enrollments, cancelled just before, is at the provider: after the answer to a cancellation nothing more is
 * handed over (decisions.md 9.7).
 */
export async function settleHandOvers(em: EntityManager, enrollmentIds: readonly string[], now: () => Date): Promise<void> {
  if (enrollmentIds.length === 0) return;
  const since = new Date(now().getTime() - LONGEST_MS);
  const deadline = now().getTime() + LONGEST_MS;
  while ((await countHandOvers(em, enrollmentIds, since)) > 0 && now().getTime() < deadline) await sleep(POLL_MS);
}
