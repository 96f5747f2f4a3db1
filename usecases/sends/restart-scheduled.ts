import type { EntityManager } from '../../db/orm.ts';
import { enqueue, scheduledStart } from '../../db/queries/operations/outbox.ts';
import { schedulingToStart } from '../../db/queries/sends/scheduled-sends.ts';

/** Starts the workflows of those projects whose mails wait; one whose start is on its way already is passed over. Returns how many. */
export async function restartScheduled(tx: EntityManager, projectIds: readonly string[]): Promise<number> {
  const found = await schedulingToStart(tx, projectIds);
  for (const id of found) await enqueue(tx, id, [scheduledStart(id)]);
  return found.length;
}
