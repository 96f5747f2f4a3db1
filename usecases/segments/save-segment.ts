import type { SegmentRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { noteSegmentChanges } from '../../db/queries/segments/segment-changes.ts';
import {
  type CountedSegment,
  countMatching,
  insertSegment,
  lockSegment,
  type NewSegment,
  updateSegment,
  type WrittenSegment,
} from '../../db/queries/segments/segments.ts';
import { segmentKey } from '../../domain/conditions/needs.ts';
import { Refusal, refuseStale } from '../../domain/errors.ts';
import type { SegmentFilter } from '../../domain/segments/segment.ts';
import { refuseIfEntered } from './refuse-if-entered.ts';

export interface SegmentChange {
  readonly label: string | undefined;
  readonly filter: SegmentFilter | undefined;
  /** The version that the caller has seen; undefined: whichever it is. */
  readonly ifVersion: number | undefined;
  readonly now: Date;
}

/** Runs that wait on it look again. Throws duplicate_label when another segment of the project has the label, in whatever case. */
export async function createSegment(em: EntityManager, segment: NewSegment): Promise<CountedSegment> {
  const created = await em.transactional(async (tx) => {
    const inserted = unlessTaken(await insertSegment(tx, segment));
    await noteSegmentChanges(tx, segment.projectId, [segmentKey(segment.label)]);
    return inserted;
  });
  return counted(em, created);
}

/**
 * Only what is given changes; a given filter replaces the old one. Of two calls at once one waits for the other. Runs that wait on it,
 * by its label of now or before, look again. Throws duplicate_label, segment_in_use where another label would leave a sequence without its trigger,
 * and version_conflict when it is not at `ifVersion`.
 */
export async function changeSegment(
  em: EntityManager,
  projectId: string,
  id: string,
  { label, filter, ifVersion, now }: SegmentChange,
): Promise<CountedSegment | undefined> {
  const changed = await em.transactional(async (tx) => {
    const before = await lockSegment(tx, projectId, id);
    if (!before) return undefined;
    refuseStale('segment', before.version, ifVersion);
    if (label !== undefined && segmentKey(label) !== segmentKey(before.label))
      await refuseIfEntered(tx, projectId, before.label, 'called otherwise');
    const given = { ...(label === undefined ? {} : { label }), ...(filter === undefined ? {} : { filter }) };
    const after = unlessTaken(await updateSegment(tx, id, { ...given, version: before.version + 1, updated_at: now }));
    await noteSegmentChanges(tx, projectId, [before.label, after.label].map(segmentKey));
    return after;
  });
  return changed && counted(em, changed);
}

function unlessTaken(written: WrittenSegment): SegmentRow {
  if (written === 'label_taken') throw new Refusal('duplicate_label', 'another segment of this project has this label');
  return written;
}

async function counted(em: EntityManager, segment: SegmentRow): Promise<CountedSegment> {
  return { ...segment, count: await countMatching(em, segment) };
}
