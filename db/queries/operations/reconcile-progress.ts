import { sql } from 'kysely';
import { ReconcileProgress, type ReconcileProgressRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { limitStatements } from './statement-limits.ts';

/** The row that counts the passes. */
export const PASSES = 'reconcile';

/** For how long no pass was finished, in seconds: what `null` says is that none ever was. Throws when it takes longer than a second. */
export async function reconcilePassAge(em: EntityManager): Promise<number | null> {
  return em.transactional(async (tx) => {
    await limitStatements(tx);
    const found = await row(
      tx,
      sql<{ seconds: number | null }>`
        select extract(epoch from now() - passed_at)::double precision as seconds from reconcile_progress where workflow_type = ${PASSES}`,
    );
    return found?.seconds == null ? null : Math.max(0, found.seconds);
  });
}

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
