import type { EntityManager } from '../../db/orm.ts';
import { enqueue, enrollmentStart } from '../../db/queries/operations/outbox.ts';
import { enrollmentsToStart } from '../../db/queries/sequences/enrollment-starts.ts';

/**
 * Starts the workflows of those of these enrollments that are active still; whose start is on its way already is passed over. Many may
 * have to be started again at once, so it is a bulk change. Returns how many.
 */
export async function restartEnrollments(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const found = await enrollmentsToStart(tx, ids);
  for (const [projectId, ofProject] of Map.groupBy(found, ({ project_id }) => project_id)) {
    const starts = ofProject.map(({ id }) => enrollmentStart(id));
    await enqueue(tx, projectId, starts, { isBulk: true });
  }
  return found.length;
}
