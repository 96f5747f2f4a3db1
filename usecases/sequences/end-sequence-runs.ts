import type { EntityManager } from '../../db/orm.ts';
import {
  deleteRuns,
  finishEnding,
  keepOthersOut,
  lockEnding,
  lockRunsToDelete,
  lockRunsToEnd,
  removeSequence,
} from '../../db/queries/sequences/sequence-endings.ts';
import { cancelRuns } from './end-enrollment.ts';

/**
 * Ends the next runs of an archived sequence, at most RUNS_AT_ONCE; of a deleted one it deletes them, and in the end the sequence. Of two
 * at once one waits for the other, or passes by where `passBusy` says so. Returns whether there may be more to do.
 */
export async function endSequenceRuns(
  em: EntityManager,
  sequenceId: string,
  { now, passBusy = false }: { readonly now: Date; readonly passBusy?: boolean },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const sequence = await lockEnding(tx, sequenceId, { passBusy });
    if (!sequence) return false;
    if (sequence.deleted_at === null) {
      const ids = await lockRunsToEnd(tx, sequenceId);
      await cancelRuns(tx, ids, 'archived', now);
      if (ids.length === 0) await finishEnding(tx, sequenceId);
      return ids.length > 0;
    }
    if (await deleteSomeRuns(tx, sequenceId, now)) return true;
    await keepOthersOut(tx, sequenceId);
    if (await deleteSomeRuns(tx, sequenceId, now)) return true;
    await removeSequence(tx, sequenceId);
    return false;
  });
}

/** Returns whether there were any. */
async function deleteSomeRuns(tx: EntityManager, sequenceId: string, now: Date): Promise<boolean> {
  const ids = await lockRunsToDelete(tx, sequenceId);
  if (ids.length === 0) return false;
  await cancelRuns(tx, ids, 'cancelled', now);
  await deleteRuns(tx, ids);
  return true;
}
