import { type RawBuilder, sql } from 'kysely';
import type { SegmentFilter } from '../../../domain/segments/segment.ts';
import type { KeysetPage, Place, Reach } from '../../cursor-page.ts';
import { type ContactRow, Segment, type SegmentRow } from '../../entities/index.ts';
import { violatedUnique } from '../../errors.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { tables } from '../../tables.ts';
import { type ContactFilter, inNoOrder, mayMatch, wantedOf } from '../contacts/contact-list.ts';
import { counter } from '../operations/counters.ts';
import { campaignRefusal } from '../sends/permission.ts';
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

/** `label_taken`: another segment of the project has the label, in whatever case. */
export type WrittenSegment = SegmentRow | 'label_taken';

export async function insertSegment(em: EntityManager, segment: NewSegment): Promise<WrittenSegment> {
  const { id, projectId, label, filter, brand, now } = segment;
  const row = { id, project_id: projectId, label, brand_id: brand, filter, version: 1, created_at: now, updated_at: now };
  return unlessTaken(async () => {
    await em.insert(Segment, row);
    return row;
  });
}

/** The newest first, each counted now. */
export async function listSegments(em: EntityManager, projectId: string): Promise<CountedSegment[]> {
  return countEach(em, projectId, await segmentsOf(em, projectId));
}

/** Counts only those whose number is kept, so that it is as quick whatever the segments say. Both the newest first. */
export async function listQuickly(
  em: EntityManager,
  projectId: string,
): Promise<{ readonly segments: CountedSegment[]; readonly uncounted: SegmentRow[] }> {
  const { kept = [], uncounted = [] } = Object.groupBy(await segmentsOf(em, projectId), (segment) =>
    counterOf(segment) ? 'kept' : 'uncounted',
  );
  return { segments: await countEach(em, projectId, kept), uncounted };
}

function segmentsOf(em: EntityManager, projectId: string): Promise<SegmentRow[]> {
  const ofProject = tables(em).selectFrom('segments').selectAll().where('project_id', '=', projectId);
  return ofProject.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

async function countEach(em: EntityManager, projectId: string, segments: readonly SegmentRow[]): Promise<CountedSegment[]> {
  // What tags and columns pick has an index; conditions are asked of every contact, so many of them at once.
  const [judging, picking] = [segments.filter(({ filter }) => filter.where), segments.filter(({ filter }) => !filter.where)];
  const counts = new Map<string, number>();
  if (picking.length > 0) {
    const each = picking.map((segment) => sql`select ${segment.id} as id, ${countOf(segment)} as count`);
    const counted = await rows(em, sql<Pick<SegmentRow, 'id'> & { readonly count: number }>`${sql.join(each, sql` union all `)}`);
    for (const { id, count } of counted) counts.set(id, count);
  }
  for (let first = 0; first < judging.length; first += JUDGED_AT_ONCE) {
    const some = judging.slice(first, first + JUDGED_AT_ONCE);
    const counted = await countTogether(em, projectId, some);
    for (const [index, { id }] of some.entries()) counts.set(id, counted[index] ?? 0);
  }
  return segments.map((segment) => ({ ...segment, count: counts.get(segment.id) ?? 0 }));
}

/** Of segments with conditions: as many as a statement has room for. */
const JUDGED_AT_ONCE = 50;

/** How many contacts each of the segments has, in their order, from one reading of the project's contacts. */
export async function countTogether(
  em: EntityManager,
  projectId: string,
  segments: readonly Pick<SegmentRow, 'filter' | 'brand_id'>[],
): Promise<readonly number[]> {
  const columns = segments.map((segment) => sql`count(*) filter (where ${inSegment(segment, 'c')})`);
  const counted = await row(
    em,
    sql<{
      counts: number[];
    }>`select array[${sql.join(columns)}]::double precision[] as counts from contacts c where c.project_id = ${projectId}`,
  );
  return counted?.counts ?? [];
}

/** A page of what one contact in two hundred is among so many. */
const NEAR = 10_000;
/** The name of the contacts in both statements of a search. */
const SEARCHED = 'near';

/** The contacts that are in the segment now, newest first; only those that match the filter beside it. */
export async function listSegmentContacts(
  em: EntityManager,
  segment: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>,
  { status, tag, q }: Pick<ContactFilter, 'status' | 'tag' | 'q'>,
  place: Place,
): Promise<KeysetPage<ContactRow>> {
  const list = status ? sql`project_id = ${segment.project_id} and status = ${status}` : sql`project_id = ${segment.project_id}`;
  const wanted = sql`${inSegment(segment, SEARCHED)} and ${wantedOf({ tag, q }) ?? sql`true`}`;
  const matching = q ? sql`${(await mayMatch(em, segment.project_id, q)).indexed} and ${wanted}` : wanted;
  // The columns that the filter names are looked up first, and what they find is put in order.
  const byIndex = (reach: Reach): Promise<ContactRow[]> => rows(em, inNoOrder(sql`${list} and ${matching}`, reach));
  return searchPage<ContactRow>(em, { table: 'contacts', list, wanted, near: NEAR, byIndex }, place);
}

/** How many contacts a filter matches now. */
export async function countMatching(em: EntityManager, segment: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>): Promise<number> {
  return (await row(em, sql<{ count: number }>`select ${countOf(segment)} as count`))?.count ?? 0;
}

/** How many of them may get a campaign of this topic, null: of none, now: by `campaignRefusal`. No number of it is kept. */
export async function countMailable(
  em: EntityManager,
  segment: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>,
  topic: string | null,
): Promise<number> {
  const counted = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from contacts c where c.project_id = ${segment.project_id} and ${inSegment(segment, 'c')}
        and ${campaignRefusal({ projectId: sql`c.project_id`, email: sql`c.email`, topic })} is null`,
  );
  return counted?.count ?? 0;
}

export async function findSegment(em: EntityManager, projectId: string, id: string): Promise<SegmentRow | undefined> {
  const ofProject = tables(em).selectFrom('segments').selectAll().where('project_id', '=', projectId);
  return ofProject.where('id', '=', id).executeTakeFirst();
}

/** Version and label of a segment, with its row locked against other changes of it. */
export async function lockSegment(
  tx: EntityManager,
  projectId: string,
  id: string,
): Promise<Pick<SegmentRow, 'version' | 'label'> | undefined> {
  return row(
    tx,
    sql<
      Pick<SegmentRow, 'version' | 'label'>
    >`select version, label from segments where project_id = ${projectId} and id = ${id} for no key update`,
  );
}

/** Writes columns of a segment whose row is locked. */
export async function updateSegment(
  tx: EntityManager,
  id: string,
  columns: Partial<Pick<SegmentRow, 'label' | 'filter'>> & Pick<SegmentRow, 'version' | 'updated_at'>,
): Promise<WrittenSegment> {
  const stored = tables(tx).updateTable('segments').where('id', '=', id);
  return unlessTaken(() => stored.set(columns).returningAll().executeTakeFirstOrThrow());
}

export async function removeSegment(tx: EntityManager, projectId: string, id: string): Promise<void> {
  await tables(tx).deleteFrom('segments').where('project_id', '=', projectId).where('id', '=', id).execute();
}

/** An expression: the number that is kept where there is one, else the contacts are counted. */
function countOf(segment: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>): RawBuilder<number> {
  const counted = sql<number>`(select count(*) from contacts c where c.project_id = ${segment.project_id} and ${inSegment(segment, 'c')})`;
  return counterOf(segment) ?? counted;
}

/** Of everybody, of statuses and of one tag, alone or together, the number is kept. */
function counterOf({
  project_id,
  filter,
  brand_id,
}: Pick<SegmentRow, 'project_id' | 'filter' | 'brand_id'>): RawBuilder<number> | undefined {
  const { status, tags, source, where, ...others } = filter;
  others satisfies Record<string, never>;
  const [tag, ...further] = new Set(tags ?? []);
  if (brand_id !== null || source != null || where != null || further.length > 0) return undefined;
  return counter(project_id, { tag, statuses: status == null ? undefined : [status].flat() });
}

async function unlessTaken(write: () => Promise<SegmentRow>): Promise<WrittenSegment> {
  try {
    return await write();
  } catch (error) {
    if (violatedUnique(error) !== 'segments_label_key') throw error;
    return 'label_taken';
  }
}
