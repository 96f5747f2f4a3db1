import type { EntityManager } from '../../db/orm.ts';
import { sendingCampaigns } from '../../db/queries/campaigns/campaigns.ts';
import { enqueue, scheduledStart, signalCampaigns } from '../../db/queries/operations/outbox.ts';
import {
  type ProjectChange,
  type ProjectRecord,
  type ProjectSettings,
  readProject,
  updateProject,
} from '../../db/queries/projects/administration.ts';
import { schedulingAmong } from '../../db/queries/sends/scheduled-sends.ts';
import { signalHeldEnrollments, signalWindowHolds } from '../../db/queries/sequences/enrollment-signals.ts';

/** What a project decides about itself. What waits for its send window looks again. */
export async function changeSettings(em: EntityManager, id: string, change: ProjectSettings): Promise<ProjectRecord> {
  return em.transactional(async (tx) => {
    if (Object.keys(change).length > 0) await updateProject(tx, id, change);
    if ('send_window' in change) await signalWindowHolds(tx, id);
    return readProject(tx, id);
  });
}

/** What an operator decides about a project. Sequence steps and campaigns that it held back go on: docs/contract/events.md 17. */
export async function changeProject(em: EntityManager, id: string, change: ProjectChange): Promise<ProjectRecord> {
  return em.transactional(async (tx) => {
    await updateProject(tx, id, change);
    await signalHeldEnrollments(tx, id);
    await signalCampaigns(tx, id, await sendingCampaigns(tx, id));
    if ((await schedulingAmong(tx, [id])).length > 0) await enqueue(tx, id, [scheduledStart(id)]);
    return readProject(tx, id);
  });
}
