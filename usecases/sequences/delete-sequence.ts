import type { EntityManager } from '../../db/orm.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { lockSequence, markDeleted } from '../../db/queries/sequences/sequences.ts';
import { setEntry } from './set-entry.ts';

/** From here on nobody finds the sequence, and its runs are over; end-sequence-runs.ts ends and deletes them. Its id, if there was one. */
export async function deleteSequence(em: EntityManager, projectId: string, key: string): Promise<string | undefined> {
  return em.transactional(async (tx) => {
    const sequence = await lockSequence(tx, projectId, key);
    if (!sequence) return undefined;
    await markDeleted(tx, sequence.id, await databaseClock(tx));
    await setEntry(tx, { ...sequence, graph: { triggers: [] } });
    return sequence.id;
  });
}
