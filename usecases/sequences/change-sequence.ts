import type { EnrollmentActionRow, SequenceRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { signalHeldEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { insertVersion, loadGraph, lockSequence, updateSequence } from '../../db/queries/sequences/sequences.ts';
import { countStanding, type StandingAt } from '../../db/queries/sequences/standing-runs.ts';
import { MAX_ISSUES, Refusal, refuseStale } from '../../domain/errors.ts';
import type { Migrate } from '../../domain/sequences/enrollment-action.ts';
import { nodeOf, type SequenceGraph } from '../../domain/sequences/graph.ts';
import { type ChangedStep, changedSteps } from '../../domain/sequences/graph-changes.ts';
import { migrateProblems } from '../../domain/sequences/migrate.ts';
import type { SequenceStatus } from '../../domain/sequences/statuses.ts';
import { type GraphProblem, NOTHING_TO_RUN } from '../../domain/sequences/validate.ts';
import { beginAction } from './act-on-runs.ts';
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
  /** What becomes of those who stand at nodes; undefined: they stay on their version. */
  readonly migrating?: Migrating | undefined;
  /** Says what it would do, and does nothing. */
  readonly isDryRun?: boolean;
  readonly now: Date;
}

export interface Migrating {
  readonly migrate: Migrate;
  /** Which key asks for it. */
  readonly keyId: string;
  readonly newId: () => string;
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
  /** How many of them go on elsewhere or end, by the node at which they stand; undefined: nobody asked for it. */
  readonly migrated: Readonly<Record<string, number>> | undefined;
  /** What sees to that; undefined: nothing is to be done. */
  readonly action: EnrollmentActionRow | undefined;
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
    const migrated = change.migrating && (await peopleToMigrate(tx, before, { current, next: stored }, change.migrating.migrate));
    const changed = { id: before.id, name, status, version, graph: stored, isEnding, affected, migrated };
    if (change.isDryRun) return { ...changed, action: undefined };
    if (graph) await insertVersion(tx, before, { ...columns, version, graph });
    else await updateSequence(tx, before.id, columns);
    await setEntry(tx, { id: before.id, project_id: projectId, status, graph: stored });
    if (status !== before.status) await tellBulk(tx, before);
    if (status === 'active' && before.status !== 'active') await signalHeldEnrollments(tx, projectId, before.id);
    const isDue = change.migrating && status !== 'archived' && Object.values(migrated ?? {}).some((people) => people > 0);
    return { ...changed, action: isDue ? await beginMigration(tx, { ...before, version }, change.migrating) : undefined };
  });
}

/** How many stand at each of the nodes. Throws invalid_graph where they cannot go where they are to. */
async function peopleToMigrate(
  tx: EntityManager,
  { id }: Pick<SequenceRow, 'id'>,
  { current, next }: { readonly current: SequenceGraph; readonly next: SequenceGraph },
  migrate: Migrate,
): Promise<Record<string, number>> {
  const standing = new Map(Object.keys(migrate).map((nodeId) => [nodeId, 0]));
  for (const { nodeId, people } of await countStanding(tx, id, [...standing.keys()]))
    standing.set(nodeId, people + (standing.get(nodeId) ?? 0));
  // Only an earlier version may have had it.
  const isKnown = (nodeId: string): boolean => nodeOf(current, nodeId) !== undefined || (standing.get(nodeId) ?? 0) > 0;
  const problems = migrateProblems(migrate, next, isKnown);
  if (problems.length > 0) throw invalidMigrate(problems);
  return Object.fromEntries(standing);
}

/** The refusal of what a graph asks for those who stand elsewhere. */
export function invalidMigrate(problems: readonly GraphProblem[]): Refusal {
  const told = problems.slice(0, MAX_ISSUES);
  return new Refusal('invalid_graph', told.map(({ message }) => message).join('; '), { body: { issues: told } });
}

async function beginMigration(
  tx: EntityManager,
  { id, project_id, version }: SequenceRow,
  { migrate, keyId, newId }: Migrating,
): Promise<EnrollmentActionRow> {
  const on = { sequence_id: id, action: 'migrate', filter: {}, migrate } as const;
  return beginAction(tx, { id: newId(), project_id, ...on, to_node: null, to_version: version, key_id: keyId });
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
