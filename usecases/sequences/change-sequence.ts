import type { SequenceRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { signalHeldEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { insertVersion, loadGraph, lockSequence, updateSequence } from '../../db/queries/sequences/sequences.ts';
import { countStanding, type StandingAt } from '../../db/queries/sequences/standing-runs.ts';
import { Refusal, refuseStale } from '../../domain/errors.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import { type ChangedStep, changedSteps } from '../../domain/sequences/graph-changes.ts';
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
  /** Says what it would do, and does nothing. */
  readonly isDryRun?: boolean;
  readonly now: Date;
}

/** A step that a change removes or changes, and how many people stand there: runs under way, whatever their version. */
export interface AffectedStep extends ChangedStep {
  readonly people: number;
  readonly versions: readonly Pick<StandingAt, 'version' | 'people'>[];
}

/** A sequence as a change has left it. `isEnding`: the change archived it, and its runs are still to be ended. */
export interface ChangedSequence extends Pick<SequenceRow, 'id' | 'name' | 'status' | 'version'> {
  readonly graph: SequenceGraph;
  readonly isEnding: boolean;
  /** Where people stand. */
  readonly affected: readonly AffectedStep[];
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
    const current = await loadGraph(tx, before.id, before.version);
    const stored = graph ?? current;
    if (status === 'active' && stored.nodes.length === 0) {
      throw new Refusal('invalid_graph', NOTHING_TO_RUN, { body: { issues: [{ message: NOTHING_TO_RUN }] } });
    }
    const isEnding = status === 'archived' && before.status !== 'archived';
    const ending = isEnding ? { archived_at: await databaseClock(tx), is_ending: true } : {};
    const columns = { name, status, now, ...ending };
    const version = graph ? before.version + 1 : before.version;
    const affected = await affectedBy(tx, before.id, changedSteps(current, stored));
    const changed = { id: before.id, name, status, version, graph: stored, isEnding, affected };
    if (change.isDryRun) return changed;
    if (graph) await insertVersion(tx, before, { ...columns, version, graph });
    else await updateSequence(tx, before.id, columns);
    await setEntry(tx, { id: before.id, project_id: projectId, status, graph: stored });
    if (status !== before.status) await tellBulk(tx, before);
    if (status === 'active' && before.status !== 'active') await signalHeldEnrollments(tx, projectId, before.id);
    return changed;
  });
}

/** Those of the steps at which people stand. */
async function affectedBy(tx: EntityManager, sequenceId: string, steps: readonly ChangedStep[]): Promise<AffectedStep[]> {
  const standing = await countStanding(
    tx,
    sequenceId,
    steps.map(({ nodeId }) => nodeId),
  );
  return steps.flatMap((step) => {
    const versions = standing.flatMap(({ nodeId, version, people }) => (nodeId === step.nodeId ? [{ version, people }] : []));
    return versions.length === 0 ? [] : [{ ...step, people: versions.reduce((sum, { people }) => sum + people, 0), versions }];
  });
}
