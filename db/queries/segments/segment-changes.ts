import { sql } from 'kysely';
import { type EnrollmentRow, SegmentChange, type SegmentChangeRow, type SequenceVersionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';
import { lookAtSegments } from './membership-looks.ts';

/** So many runs are told in one transaction. */
export const TOLD_AT_ONCE = 5_000;

/** One segment whose runs are to be told. */
export type ChangedSegment = Pick<SegmentChangeRow, 'project_id' | 'label'>;

/** In the transaction of the change: everybody is compared with the members by whom sequences are entered, and every run that may wait on segments with these labels is to be told, also one that was told of an earlier change. */
export async function noteSegmentChanges(tx: EntityManager, projectId: string, labels: readonly string[]): Promise<void> {
  await row(
    tx,
    sql`insert into segment_changes (project_id, label) select ${projectId}, l from unnest(${labels}::text[]) l group by l order by l
        on conflict (project_id, label) do update set told_to = null`,
  );
  await lookAtSegments(tx, projectId, labels);
}

/** Those of which not every run has been told. */
export async function openSegmentChanges(em: EntityManager): Promise<ChangedSegment[]> {
  return tables(em).selectFrom('segment_changes').select(['project_id', 'label']).execute();
}

/** With its row locked; none that another transaction has locked. */
export async function lockSegmentChange(tx: EntityManager, { project_id, label }: ChangedSegment): Promise<SegmentChangeRow | undefined> {
  return row(
    tx,
    sql<SegmentChangeRow>`select * from segment_changes where project_id = ${project_id} and label = ${label} for update skip locked`,
  );
}

/** A version of a sequence. */
export type VersionKey = Pick<SequenceVersionRow, 'sequence_id' | 'version'>;

/** The versions of the project's sequences that name any segment, and maybe some more. */
export async function versionsWithSegments(tx: EntityManager, projectId: string): Promise<VersionKey[]> {
  return rows(
    tx,
    sql<VersionKey>`
      select v.sequence_id, v.version from sequences s join sequence_versions v on v.sequence_id = s.id
      where s.project_id = ${projectId} and jsonb_path_exists(v.graph, '$.**.segment')`,
  );
}

/**
 * The next runs of these versions that wait for something about their contact, or may be on their way to such a wait by facts that they read before
 * the change: all but those that rest for so long that nothing is under way at them.
 */
export async function runsToTell(
  tx: EntityManager,
  { project_id, told_to }: SegmentChangeRow,
  versions: readonly VersionKey[],
): Promise<string[]> {
  const found = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      select e.id from enrollments e
      join jsonb_to_recordset(${JSON.stringify(versions)}::jsonb) as v(sequence_id uuid, version integer)
        on v.sequence_id = e.sequence_id and v.version = e.sequence_version
      where e.project_id = ${project_id} and e.status = 'active' and e.id > ${told_to ?? LOWEST_ID}
        and (e.watches_contact or e.waiting_for is null or e.waiting_for not in ('delay', 'time') or e.wakes_at < now() + interval '10 minutes')
      order by e.id limit ${TOLD_AT_ONCE}`,
  );
  return found.map(({ id }) => id);
}

/** All runs up to this one have been told. */
export async function markTold(tx: EntityManager, { project_id, label }: ChangedSegment, to: string): Promise<void> {
  await tx.nativeUpdate(SegmentChange, { project_id, label }, { told_to: to });
}

/** Every run has been told. */
export async function finishSegmentChange(tx: EntityManager, { project_id, label }: ChangedSegment): Promise<void> {
  await tx.nativeDelete(SegmentChange, { project_id, label });
}
