import type { EntityManager } from '../../db/orm.ts';
import { noteSegmentChanges } from '../../db/queries/segments/segment-changes.ts';
import { removeSegment } from '../../db/queries/segments/segments.ts';
import { segmentKey } from '../../domain/conditions/needs.ts';

/** From here on nobody is in it, and runs that wait on it look again. Whether there was one. */
export async function deleteSegment(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const label = await removeSegment(tx, projectId, id);
    if (label === undefined) return false;
    await noteSegmentChanges(tx, projectId, [segmentKey(label)]);
    return true;
  });
}
