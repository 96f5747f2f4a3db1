import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type SequenceGraph, triggerTypes } from '../../../domain/sequences/graph.ts';
import type { SequenceStatus } from '../../../domain/sequences/statuses.ts';
import { columnsOf } from '../../columns.ts';
import {
  type EnrollmentRow,
  Sequence,
  type SequenceRow,
  SequenceTrigger,
  type SequenceTriggerRow,
  SequenceVersion,
  type SequenceVersionRow,
} from '../../entities/index.ts';
import { violatedUnique } from '../../errors.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRows, row, rows } from '../../rows.ts';

export interface NewSequence {
  readonly id: string;
  readonly projectId: string;
  readonly key: string;
  readonly name: string;
  readonly status: SequenceStatus;
  readonly graph: SequenceGraph;
  readonly now: Date;
}

/** The first version of a sequence. */
export const FIRST_VERSION = 1;

/** Its first version. False when the project has a sequence with the key already. */
export async function insertSequence(em: EntityManager, input: NewSequence): Promise<boolean> {
  const { id, projectId, key, name, status, graph, now } = input;
  try {
    // Within another transaction only this is taken back.
    await em.transactional(async (tx) => {
      await tx.insert(Sequence, { id, project_id: projectId, key, name, status, version: FIRST_VERSION, created_at: now, updated_at: now });
      await tx.insert(SequenceVersion, { sequence_id: id, version: FIRST_VERSION, graph, created_at: now });
      await setTriggers(tx, id, projectId, graph);
    });
    return true;
  } catch (error) {
    if (violatedUnique(error) === 'sequences_key_key') return false;
    throw error;
  }
}

async function setTriggers(tx: EntityManager, sequenceId: string, projectId: string, graph: SequenceGraph): Promise<void> {
  await tx.nativeDelete(SequenceTrigger, { sequence_id: sequenceId });
  await tx.insertMany(
    SequenceTrigger,
    triggerTypes(graph).map((type, index) => ({ sequence_id: sequenceId, project_id: projectId, event_type: type, place: index + 1 })),
  );
}

/** A sequence with the graph of its current version. */
export type SequenceWithGraph = SequenceRow & Pick<SequenceVersionRow, 'graph'>;

export async function findSequence(em: EntityManager, projectId: string, key: string): Promise<SequenceWithGraph | undefined> {
  return row(
    em,
    sql<SequenceWithGraph>`select s.*, v.graph from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where s.project_id = ${projectId} and s.key = ${key} and s.deleted_at is null`,
  );
}

export async function findSequenceOf(em: EntityManager, id: string): Promise<SequenceWithGraph | undefined> {
  return row(
    em,
    sql<SequenceWithGraph>`select s.*, v.graph from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where s.id = ${id} and s.deleted_at is null`,
  );
}

/** A sequence with the event type of its first enabled trigger, without its graph. */
export type ListedSequence = SequenceRow & { readonly trigger: SequenceTriggerRow['event_type'] | null };

/** Newest first. */
export async function listSequences(em: EntityManager, projectId: string): Promise<ListedSequence[]> {
  return rows(
    em,
    sql<ListedSequence>`
      select s.*, (select t.event_type from sequence_triggers t where t.sequence_id = s.id order by t.place limit 1) as trigger
      from sequences s where s.project_id = ${projectId} and s.deleted_at is null order by s.created_at desc, s.id desc`,
  );
}

/** The active sequences that an event of this type enrolls into. */
export async function sequencesTriggeredBy(em: EntityManager, projectId: string, eventType: string): Promise<SequenceWithGraph[]> {
  const found = await preparedRows(
    em,
    sql<SequenceRow>`
      select ${columnsOf(Sequence, 's')} from sequence_triggers t
      join sequences s on s.id = t.sequence_id and s.status = 'active'
      where t.project_id = ${projectId} and md5(t.event_type) = md5(${eventType}) and t.event_type = ${eventType}
      order by s.created_at, s.id`,
  );
  const triggered: SequenceWithGraph[] = [];
  for (const sequence of found) triggered.push({ ...sequence, graph: await loadGraph(em, sequence.id, sequence.version) });
  return triggered;
}

/** A version's graph never changes, so a process keeps those that it has read. */
const graphs = new LRUCache<string, SequenceGraph>({ max: 1000 });

export async function loadGraph(em: EntityManager, sequenceId: string, version: number): Promise<SequenceGraph> {
  const key = `${sequenceId} ${version}`;
  const known = graphs.get(key);
  if (known) return known;
  const { graph } = await em.findOneOrFail(SequenceVersion, { sequence_id: sequenceId, version });
  graphs.set(key, graph);
  return graph;
}

/**
 * Only against other changes of the sequence. A transaction that enters it has locked an enrollment before, so a stronger lock could
 * deadlock. A run that enters while it is archived ends at its first step.
 */
export async function lockSequence(tx: EntityManager, projectId: string, key: string): Promise<SequenceRow | undefined> {
  return row(
    tx,
    sql<SequenceRow>`select * from sequences where project_id = ${projectId} and key = ${key} and deleted_at is null for no key update`,
  );
}

/** What a change of a sequence writes. */
export interface NewVersion
  extends Pick<SequenceRow, 'name' | 'status' | 'version'>,
    Partial<Pick<SequenceRow, 'archived_at' | 'is_ending'>> {
  readonly graph: SequenceGraph;
  readonly now: Date;
}

/** Writes columns of a sequence whose row is locked; its graph and version stay. */
export async function updateSequence(
  tx: EntityManager,
  id: string,
  { now, ...columns }: Partial<Omit<NewVersion, 'graph' | 'version' | 'now'>> & { readonly now: Date },
): Promise<void> {
  await tx.nativeUpdate(Sequence, { id }, { ...columns, updated_at: now });
}

/** Makes the graph the current version of a sequence whose row is locked. */
export async function insertVersion(
  tx: EntityManager,
  { id, project_id }: SequenceRow,
  { graph, now, ...columns }: NewVersion,
): Promise<void> {
  await tx.insert(SequenceVersion, { sequence_id: id, version: columns.version, graph, created_at: now });
  await tx.nativeUpdate(Sequence, { id }, { ...columns, updated_at: now });
  await setTriggers(tx, id, project_id, graph);
}

/** Nobody finds a sequence from here on that is marked so, and no event enters it. */
export async function markDeleted(tx: EntityManager, id: string, now: Date): Promise<void> {
  await tx.nativeUpdate(Sequence, { id }, { status: 'archived', archived_at: now, deleted_at: now, is_ending: true });
  await tx.nativeDelete(SequenceTrigger, { sequence_id: id });
}

/** How many enrollments of each status the project's sequences have, and how many steps of them failed. Two ways, each by an index of its own. */
export async function countEnrollments(em: EntityManager, projectId: string): Promise<ReadonlyMap<string, EnrollmentCounts>> {
  const counts = await rows(
    em,
    sql<EnrollmentCounts['enrollments'] & Pick<EnrollmentRow, 'sequence_id' | 'failed_steps'>>`
      select e.*, coalesce(f.failed_steps, 0) as failed_steps
      from (
        select sequence_id, count(*) filter (where status = 'active') as active, count(*) filter (where status = 'completed') as completed,
               count(*) filter (where status = 'cancelled') as cancelled
        from enrollments where project_id = ${projectId} group by sequence_id) e
      left join (
        select sequence_id, sum(failed_steps) as failed_steps
        from enrollments where project_id = ${projectId} and failed_steps > 0 group by sequence_id) f using (sequence_id)`,
  );
  return new Map(counts.map(({ sequence_id, failed_steps, ...enrollments }) => [sequence_id, { enrollments, failed_steps }]));
}

export interface EnrollmentCounts {
  readonly enrollments: { readonly active: number; readonly completed: number; readonly cancelled: number };
  readonly failed_steps: number;
}
