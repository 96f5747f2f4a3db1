import type { EntityManager } from '../../db/orm.ts';
import { burstStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { burstsToStart } from '../../db/queries/webhooks/webhook-starts.ts';

/** Starts the bursts of those endpoints that should have one; one whose start is on its way already is passed over. Returns how many. */
export async function restartBursts(tx: EntityManager, endpointIds: readonly string[]): Promise<number> {
  const found = await burstsToStart(tx, endpointIds);
  for (const { id, project_id } of found) await enqueue(tx, project_id, [burstStart(id)], { isBulk: true });
  return found.length;
}
