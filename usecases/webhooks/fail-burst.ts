import type { EntityManager } from '../../db/orm.ts';
import { burstStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { burstsToStart, failWaiting, keepBurstIfWaiting, lockAgainstDeliveries } from '../../db/queries/webhooks/webhook-starts.ts';

/**
 * Ends an endpoint's burst with all that waits in it as failed, unless another is on its way. What was written after `closedAt`, when its workflow
 * had closed already, is another burst's, which is started for it. Returns how many have failed; null when it was not open any more.
 */
export async function failBurst(tx: EntityManager, endpointId: string, closedAt?: Date): Promise<number | null> {
  await lockAgainstDeliveries(tx, endpointId);
  const [open] = await burstsToStart(tx, [endpointId]);
  if (!open) return null;
  const failed = await failWaiting(tx, endpointId, closedAt);
  if (await keepBurstIfWaiting(tx, endpointId)) await enqueue(tx, open.project_id, [burstStart(endpointId)], { isBulk: true });
  return failed;
}
