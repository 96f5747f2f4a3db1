import { sql } from 'kysely';
import { Refusal } from '../../domain/errors.ts';
import type { SegmentFilter } from '../../domain/segment.ts';
import { Segment, type SegmentRow } from '../entities/index.ts';
import { violatedUnique } from '../errors.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { tables } from '../tables.ts';
import { inSegment } from './segment-filter.ts';

export type CountedSegment = SegmentRow & { readonly count: number };

export interface NewSegment {
  readonly id: string;
  readonly projectId: string;
  readonly label: string;
  readonly filter: SegmentFilter;
  readonly brand: string | null;
  readonly now: Date;
}

/** Throws duplicate_label when another segment of the project has the label, in whatever case. */
export async function createSegment(em: EntityManager, segment: NewSegment): Promise<CountedSegment> {
  const { id, projectId, label, filter, brand, now } = segment;
  const row = { id, project_id: projectId, label, brand_id: brand, filter, created_at: now, updated_at: now };
  await refusingDuplicates(() => em.insert(Segment, row));
  return counted(em, row);
}

/** The newest first, each counted now. */
export async function listSegments(em: EntityManager, projectId: string): Promise<CountedSegment[]> {
  const ofProject = tables(em).selectFrom('segments').selectAll().where('project_id', '=', projectId);
  const found = await ofProject.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
  if (found.length === 0) return [];
  const each = found.map((segment) => sql`select ${segment.id} as id, (${countOf(segment)}) as count`);
  const counts = await rows(em, sql<Pick<SegmentRow, 'id'> & { readonly count: number }>`${sql.join(each, sql` union all `)}`);
  const countById = new Map(counts.map(({ id, count }) => [id, count]));
  return found.map((segment) => ({ ...segment, count: countById.get(segment.id) ?? 0 }));
}

export async function findSegment(em: EntityManager, projectId: string, id: string): Promise<CountedSegment | undefined> {
  const ofProject = tables(em).selectFrom('segments').selectAll().where('project_id', '=', projectId);
  const found = await ofProject.where('id', '=', id).executeTakeFirst();
  return found && counted(em, found);
}

/** Only what is given changes; a given filter replaces the old one. Throws duplicate_label. */
export async function changeSegment(
  em: EntityManager,
  projectId: string,
  id: string,
  change: { readonly label: string | undefined; readonly filter: SegmentFilter | undefined; readonly now: Date },
): Promise<CountedSegment | undefined> {
  const { label, filter, now } = change;
  const given = { ...(label === undefined ? {} : { label }), ...(filter === undefined ? {} : { filter }), updated_at: now };
  const stored = tables(em).updateTable('segments').where('project_id', '=', projectId).where('id', '=', id);
  const changed = await refusingDuplicates(() => stored.set(given).returningAll().executeTakeFirst());
  return changed && counted(em, changed);
}

/** Whether there was one. */
export async function deleteSegment(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return (await em.nativeDelete(Segment, { project_id: projectId, id })) === 1;
}

async function counted(em: EntityManager, segment: SegmentRow): Promise<CountedSegment> {
  const total = await row(em, sql<{ count: number }>`${countOf(segment)}`);
  return { ...segment, count: total?.count ?? 0 };
}

function countOf(segment: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>) {
  return sql`select count(*) as count from contacts c where c.project_id = ${segment.project_id} and ${inSegment(segment, 'c')}`;
}

async function refusingDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violatedUnique(error) !== 'segments_label_key') throw error;
    throw new Refusal('duplicate_label', 'another segment of this project has this label');
  }
}
