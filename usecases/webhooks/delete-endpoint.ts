import type { EntityManager } from '../../db/orm.ts';
import { signalBurst } from '../../db/queries/operations/outbox.ts';
import { dropDeliveriesOf, keepDeleted, removeEndpoint } from '../../db/queries/webhooks/webhook-endpoints.ts';

/**
 * From here on nothing more is written or attempted for it, and its burst ends. Of the deliveries the first are dropped here, the others by
 * `dropDeliveries`. Whether there was one.
 */
export async function deleteEndpoint(tx: EntityManager, projectId: string, id: string): Promise<boolean> {
  const deleted = await removeEndpoint(tx, projectId, id);
  if (!deleted) return false;
  if (deleted.has_lane) await signalBurst(tx, projectId, id);
  await keepDeleted(tx, id);
  await dropDeliveriesOf(tx, id);
  return true;
}
