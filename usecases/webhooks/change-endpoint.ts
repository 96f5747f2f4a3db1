import type { WebhookEndpointRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { wakeBurst } from '../../db/queries/operations/outbox.ts';
import { wakeHeldDeliveries } from '../../db/queries/webhooks/delivery-wakes.ts';
import { type EndpointColumns, lockEndpoint, updateEndpoint } from '../../db/queries/webhooks/webhook-endpoints.ts';

/** Only what is given changes. What was held goes on when it is enabled. Undefined when the project has no such endpoint. */
export async function changeEndpoint(
  tx: EntityManager,
  projectId: string,
  id: string,
  change: Partial<EndpointColumns>,
): Promise<WebhookEndpointRow | undefined> {
  const before = await lockEndpoint(tx, projectId, id);
  if (!before) return undefined;
  const after = { ...before, ...change };
  await updateEndpoint(tx, id, after);
  if (after.enabled && !before.enabled) {
    await wakeHeldDeliveries(tx, id);
    if (before.has_lane) await wakeBurst(tx, projectId, id);
  }
  return after;
}
