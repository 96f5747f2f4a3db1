import { sql } from 'kysely';
import type { BulkStatus } from '../../../domain/sequences/bulk-enrollment.ts';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import { BulkEnrollment, type BulkEnrollmentRow, type ContactRow, type ProjectRow, type SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { endRunning, openRows } from '../operations/open-rows.ts';
import { inSegment } from '../segments/segment-filter.ts';

const BULK = columnsOf(BulkEnrollment, 'b');

/** What is asked for. */
export type NewBulkEnrollment = Pick<BulkEnrollmentRow, 'id' | 'project_id' | 'sequence_id' | 'label' | 'filter' | 'brand_id' | 'total'>;

/** Undefined where one of the sequence runs already, also of two that are made at once. */
export async function insertBulk(tx: EntityManager, bulk: NewBulkEnrollment): Promise<BulkEnrollmentRow | undefined> {
  return row(
    tx,
    sql<BulkEnrollmentRow>`
      insert into bulk_enrollments as b (id, project_id, sequence_id, label, filter, brand_id, total)
      values (${bulk.id}, ${bulk.project_id}, ${bulk.sequence_id}, ${bulk.label}, ${JSON.stringify(bulk.filter)}::jsonb, ${bulk.brand_id}, ${bulk.total})
      on conflict (sequence_id) where status = 'running' do nothing returning ${BULK}`,
  );
}

/** With its row locked against its end. */
export async function lockBulk(tx: EntityManager, id: string): Promise<BulkEnrollmentRow | undefined> {
  return row(tx, sql<BulkEnrollmentRow>`select ${BULK} from bulk_enrollments b where b.id = ${id} for update`);
}

export async function findBulk(em: EntityManager, sequenceId: string, id: string): Promise<BulkEnrollmentRow | undefined> {
  return row(em, sql<BulkEnrollmentRow>`select ${BULK} from bulk_enrollments b where b.id = ${id} and b.sequence_id = ${sequenceId}`);
}

/** Those of a sequence, the newest first. */
export async function listBulk(em: EntityManager, sequenceId: string, place: Place): Promise<KeysetPage<BulkEnrollmentRow>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<BulkEnrollmentRow>`
        select * from (select ${BULK} from bulk_enrollments b where b.sequence_id = ${sequenceId}) listed where ${bounds}`,
    ),
  );
}

/** A contact of the segment, in order of creation. */
export type BulkMember = Pick<ContactRow, 'id' | 'created_at'>;

/** The next who are members now, by the segment as it was when it was asked for. */
export async function nextOfBulk(tx: EntityManager, bulk: BulkEnrollmentRow, limit: number): Promise<BulkMember[]> {
  const { project_id, after_created_at: afterAt, after_id: afterId } = bulk;
  const beyond = afterId === null ? sql`true` : sql`(c.created_at, c.id) > (${afterAt}, ${afterId}::uuid)`;
  return rows(
    tx,
    sql<BulkMember>`
      select c.id, c.created_at from contacts c
      where c.project_id = ${project_id} and ${beyond} and ${inSegment(bulk, 'c')}
      order by c.created_at, c.id limit ${limit}`,
  );
}

/** What one portion has come to, and up to which contact: in one transaction with its enrollments. */
export async function keepBulk(
  tx: EntityManager,
  id: string,
  { enrolled, skipped, last }: Pick<BulkEnrollmentRow, 'enrolled' | 'skipped'> & { readonly last: BulkMember },
): Promise<void> {
  await row(
    tx,
    sql`update bulk_enrollments set enrolled = ${enrolled}, skipped = ${JSON.stringify(skipped)}::jsonb, after_created_at = ${last.created_at}, after_id = ${last.id}
        where id = ${id}`,
  );
}

/** Ends one that runs. Whether it did run. */
export async function endBulk(tx: EntityManager, id: string, status: Exclude<BulkStatus, 'running'>): Promise<boolean> {
  return endRunning(tx, 'bulk_enrollments', { id, status });
}

/** The one of a sequence that runs. */
export async function runningBulk(em: EntityManager, sequenceId: string): Promise<Pick<BulkEnrollmentRow, 'id'> | undefined> {
  return row(
    em,
    sql<Pick<BulkEnrollmentRow, 'id'>>`select id from bulk_enrollments where sequence_id = ${sequenceId} and status = 'running'`,
  );
}

/** What the workflow is started with. */
export interface BulkStart extends Pick<BulkEnrollmentRow, 'id' | 'label' | 'total'>, Pick<SequenceRow, 'key' | 'name'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function bulkStarts(em: EntityManager, ids: readonly string[]): Promise<BulkStart[]> {
  return rows(
    em,
    sql<BulkStart>`
      select b.id, b.label, b.total, s.key, s.name, p.slug as "projectSlug" from bulk_enrollments b
      join sequences s on s.id = b.sequence_id join projects p on p.id = b.project_id where b.id = any(${ids}::uuid[])`,
  );
}

/** Those that run. */
export const {
  batch: batchOfRunningBulks,
  among: runningBulks,
  toStart: bulksToStart,
} = openRows('bulkEnrollment', { table: 'bulk_enrollments', alias: 'b', isOpen: sql`b.status = 'running'` });
