import type { ScheduledSendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, scheduledStart } from '../../db/queries/operations/outbox.ts';
import {
  deleteScheduled,
  insertScheduled,
  isOpened,
  lockScheduled,
  moveScheduled,
  type NewScheduledSend,
} from '../../db/queries/sends/scheduled-sends.ts';
import { findSend } from '../../db/queries/sends/send-log.ts';
import { notFound, Refusal } from '../../domain/errors.ts';

/** Keeps mails of one project until they are due. */
export async function scheduleSends(tx: EntityManager, projectId: string, sends: readonly NewScheduledSend[]): Promise<void> {
  if (await insertScheduled(tx, projectId, sends)) await enqueue(tx, projectId, [scheduledStart(projectId)]);
}

/** A mail that waits goes at another time. Throws not_found, and invalid_status where it is on its way or has gone. */
export async function moveScheduledSend(em: EntityManager, projectId: string, id: string, dueAt: Date): Promise<void> {
  await em.transactional(async (tx) => {
    if (await moveScheduled(tx, await waiting(tx, projectId, id), dueAt)) await enqueue(tx, projectId, [scheduledStart(projectId)]);
  });
}

/**
 * After it has answered nothing of this mail leaves. Throws not_found, and invalid_status where it is on its way or has gone: whoever opens it
 * shares its row, which is locked here.
 */
export async function cancelScheduledSend(em: EntityManager, projectId: string, id: string): Promise<void> {
  await em.transactional(async (tx) => deleteScheduled(tx, [(await waiting(tx, projectId, id)).id]));
}

async function waiting(tx: EntityManager, projectId: string, id: string): Promise<ScheduledSendRow> {
  const found = await lockScheduled(tx, projectId, id);
  if (found && !(await isOpened(tx, id))) return found;
  if (found || (await findSend(tx, projectId, id)))
    throw new Refusal('invalid_status', 'this mail is no longer scheduled: it is being sent, or was');
  return notFound('send');
}
