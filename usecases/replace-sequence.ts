import type { EntityManager } from '../db/orm.ts';
import { wakeHeldEnrollments } from '../db/queries/enrollment-wakes.ts';
import { insertVersion, lockSequence } from '../db/queries/sequences.ts';
import { Refusal } from '../domain/errors.ts';
import type { SequenceGraph, SequenceStatus } from '../domain/sequence/graph.ts';

export interface SequenceChange {
  readonly projectId: string;
  readonly key: string;
  /** undefined keeps it. */
  readonly name: string | undefined;
  readonly status: SequenceStatus | undefined;
  readonly graph: SequenceGraph;
  readonly now: Date;
}

/**
 * A new version; running enrollments keep theirs. Archiving ends them, of which `isEnding` tells; activating wakes those that were held.
 * undefined when there is no such sequence. Leaving `archived` for anything but `draft` is refused with `invalid_status`.
 */
export async function replaceSequence(
  em: EntityManager,
  change: SequenceChange,
): Promise<{ readonly id: string; readonly status: SequenceStatus; readonly isEnding: boolean } | undefined> {
  const { projectId, key, graph, now } = change;
  return em.transactional(async (tx) => {
    const before = await lockSequence(tx, projectId, key);
    if (!before) return undefined;
    const status = change.status ?? before.status;
    if (before.status === 'archived' && status !== 'archived' && status !== 'draft') {
      throw new Refusal('invalid_status', 'an archived sequence can only become a draft');
    }
    const version = before.version + 1;
    const isEnding = status === 'archived' && before.status !== 'archived';
    const ending = isEnding ? { archived_at: now, is_ending: true } : {};
    await insertVersion(tx, before, { name: change.name ?? before.name, status, version, graph, now, ...ending });
    if (status === 'active' && before.status !== 'active') await wakeHeldEnrollments(tx, projectId, before.id);
    return { id: before.id, status, isEnding };
  });
}
