import type { EntityManager } from '../../db/orm.ts';
import { burstStart, enqueueEach } from '../../db/queries/operations/outbox.ts';
import { burstsToStart } from '../../db/queries/webhooks/webhook-starts.ts';

/** Starts the bursts of those endpoints that should have one; one whose start is on its way already is passed over. Returns how many. */
export async function restartBursts(tx: EntityManager, endpointIds: readonly string[]): Promise<number> {
  return enqueueEach(tx, await burstsToStart(tx, endpointIds), burstStart, { isBulk: true });
}
