import type { EntityManager } from '../../db/orm.ts';
import { signalBurst, signalRetry } from '../../db/queries/operations/outbox.ts';
import { dropDeliveriesOf, keepDeleted, removeEndpoint } from '../../db/queries/webhooks/webhook-endpoints.ts';
import { latestRetry } from '../../db/queries/webhooks/webhook-retries.ts';

/**
 * From here on nothing more is written or attempted for it, and its burst and its retry end. Of the deliveries the first are dropped here, the others by
 * `dropDeliveries`. Whether there was one.
 */
export async function deleteEndpoint(tx: EntityManager, projectId: string, id: string): Promise<boolean> {
  const retry = await latestRetry(tx, id);
  const deleted = await removeEndpoint(tx, projectId, id);
  if (!deleted) return false;
  if (retry?.status === 'running') await signalRetry(tx, projectId, retry.id);
  if (deleted.has_lane) await signalBurst(tx, projectId, id);
  await keepDeleted(tx, id);
  await dropDeliveriesOf(tx, id);
  return true;
}
