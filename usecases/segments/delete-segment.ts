import type { EntityManager } from '../../db/orm.ts';
import { noteSegmentChanges } from '../../db/queries/segments/segment-changes.ts';
import { lockSegment, removeSegment } from '../../db/queries/segments/segments.ts';
import { segmentKey } from '../../domain/conditions/needs.ts';
import { refuseIfEntered } from './refuse-if-entered.ts';

/** From here on nobody is in it, and runs that wait on it look again. Whether there was one. Throws segment_in_use where a sequence is entered by it. */
export async function deleteSegment(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const segment = await lockSegment(tx, projectId, id);
    if (!segment) return false;
    await refuseIfEntered(tx, projectId, segment.label, 'deleted');
    await removeSegment(tx, projectId, id);
    await noteSegmentChanges(tx, projectId, [segmentKey(segment.label)]);
    return true;
  });
}
