import type { SequenceRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { signalHeldEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { insertVersion, loadGraph, lockSequence, updateSequence } from '../../db/queries/sequences/sequences.ts';
import { Refusal, refuseStale } from '../../domain/errors.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import type { SequenceStatus } from '../../domain/sequences/statuses.ts';
import { NOTHING_TO_RUN } from '../../domain/sequences/validate.ts';
import { tellBulk } from './enroll-segment.ts';
import { setEntry } from './set-entry.ts';

export interface SequenceChange {
  readonly projectId: string;
  readonly key: string;
  /** undefined keeps it. */
  readonly name: string | undefined;
  readonly status: SequenceStatus | undefined;
  /** undefined keeps it, and the version with it. */
  readonly graph: SequenceGraph | undefined;
  /** The version that the caller has seen; undefined: whichever it is. */
  readonly ifVersion?: number | undefined;
  readonly now: Date;
}

/** A sequence as a change has left it. `isEnding`: the change archived it, and its runs are still to be ended. */
export interface ChangedSequence extends Pick<SequenceRow, 'id' | 'name' | 'status' | 'version'> {
  readonly graph: SequenceGraph;
  readonly isEnding: boolean;
}

/**
 * A given graph is a new version; running enrollments keep theirs. Archiving ends them; activating signals those that were held. undefined when
 * there is no such sequence. Leaving `archived` for anything but `draft` is refused with `invalid_status`, activating without a node with
 * `invalid_graph`, a change of a version that the caller has not seen with `version_conflict`.
 */
export async function changeSequence(em: EntityManager, change: SequenceChange): Promise<ChangedSequence | undefined> {
  const { projectId, key, graph, now } = change;
  return em.transactional(async (tx) => {
    const before = await lockSequence(tx, projectId, key);
    if (!before) return undefined;
    refuseStale('sequence', before.version, change.ifVersion);
    const name = change.name ?? before.name;
    const status = change.status ?? before.status;
    if (before.status === 'archived' && status !== 'archived' && status !== 'draft') {
      throw new Refusal('invalid_status', 'an archived sequence can only become a draft');
    }
    const stored = graph ?? (await loadGraph(tx, before.id, before.version));
    if (status === 'active' && stored.nodes.length === 0) {
      throw new Refusal('invalid_graph', NOTHING_TO_RUN, { body: { issues: [{ message: NOTHING_TO_RUN }] } });
    }
    const isEnding = status === 'archived' && before.status !== 'archived';
    const ending = isEnding ? { archived_at: await databaseClock(tx), is_ending: true } : {};
    const columns = { name, status, now, ...ending };
    const version = graph ? before.version + 1 : before.version;
    if (graph) await insertVersion(tx, before, { ...columns, version, graph });
    else await updateSequence(tx, before.id, columns);
    await setEntry(tx, { id: before.id, project_id: projectId, status, graph: stored });
    if (status !== before.status) await tellBulk(tx, before);
    if (status === 'active' && before.status !== 'active') await signalHeldEnrollments(tx, projectId, before.id);
    return { id: before.id, name, status, version, graph: stored, isEnding };
  });
}
