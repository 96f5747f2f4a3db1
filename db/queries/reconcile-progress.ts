import { ReconcileProgress, type ReconcileProgressRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';

/** Undefined before the first time. */
export async function findProgress(em: EntityManager, workflowType: string): Promise<ReconcileProgressRow | undefined> {
  return (await em.findOne(ReconcileProgress, { workflow_type: workflowType }, { disableIdentityMap: true })) ?? undefined;
}

/** What is not given stays. */
export async function saveProgress(
  em: EntityManager,
  workflowType: string,
  change: Partial<Omit<ReconcileProgressRow, 'workflow_type'>>,
): Promise<void> {
  await em.upsert(ReconcileProgress, { workflow_type: workflowType, ...change }, { disableIdentityMap: true });
}
