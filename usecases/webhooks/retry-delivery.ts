import type { EntityManager } from '../../db/orm.ts';
import { deliveryStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { findDelivery, reopenDelivery, type ShownDelivery } from '../../db/queries/webhooks/webhook-deliveries.ts';
import { Refusal } from '../../domain/errors.ts';

/**
 * Begins another series of attempts of a settled delivery, the first at once. Throws delivery_pending when the delivery is not settled, as for
 * the second of two calls at once. Undefined when the endpoint has no such delivery.
 */
export async function retryDelivery(
  tx: EntityManager,
  { projectId, endpointId, id }: { readonly projectId: string; readonly endpointId: string; readonly id: string },
): Promise<ShownDelivery | undefined> {
  const isReopened = await reopenDelivery(tx, endpointId, id);
  const delivery = await findDelivery(tx, endpointId, id);
  if (delivery && !isReopened) throw new Refusal('delivery_pending', 'this delivery is not settled yet');
  if (delivery) await enqueue(tx, projectId, [deliveryStart(id)]);
  return delivery;
}
