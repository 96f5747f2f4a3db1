import type { EntityManager } from '../../db/orm.ts';
import { insertSequence, type NewSequence } from '../../db/queries/sequences/sequences.ts';
import { setEntry } from './set-entry.ts';

/** A sequence with its first version. False when the project has one with the key already. */
export async function createSequence(em: EntityManager, sequence: NewSequence): Promise<boolean> {
  const { id, projectId, status, graph } = sequence;
  return em.transactional(async (tx) => {
    if (!(await insertSequence(tx, sequence))) return false;
    await setEntry(tx, { id, project_id: projectId, status, graph });
    return true;
  });
}
