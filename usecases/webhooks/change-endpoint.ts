import type { WebhookEndpointRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { signalBurst } from '../../db/queries/operations/outbox.ts';
import { signalHeldDeliveries } from '../../db/queries/webhooks/delivery-signals.ts';
import { type EndpointColumns, lockEndpoint, updateEndpoint } from '../../db/queries/webhooks/webhook-endpoints.ts';
import { tellRetry } from './retry-failed.ts';

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
    await signalHeldDeliveries(tx, id);
    if (before.has_lane) await signalBurst(tx, projectId, id);
    await tellRetry(tx, id);
  }
  return after;
}
