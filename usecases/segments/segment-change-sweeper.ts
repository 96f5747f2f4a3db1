import type { MikroORM } from '../../db/orm.ts';
import { type ChangedSegment, openSegmentChanges } from '../../db/queries/segments/segment-changes.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { tellRuns } from './tell-runs.ts';

export interface SegmentChangeSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
}

const EVERY_MS = 1_000;

/** Tells the runs that wait on segments which have changed, a batch for each segment in turn. Any number of processes may run one. */
export function startSegmentChangeSweeper({ orm, log }: SegmentChangeSweeperDeps): Repeating {
  /** One that fails must not keep the others waiting; it comes again with the next look. */
  const tellSome = async (changed: ChangedSegment): Promise<boolean> => {
    try {
      return await tellRuns(orm.em.fork(), changed);
    } catch (error) {
      log.error('segment.runs_not_told', { projectId: changed.project_id, error });
      return false;
    }
  };
  const sweep = async (stopping: AbortSignal): Promise<void> => {
    for (let left = await openSegmentChanges(orm.em.fork()); left.length > 0; ) {
      const more: ChangedSegment[] = [];
      for (const changed of left) if (!stopping.aborted && (await tellSome(changed))) more.push(changed);
      left = more;
    }
  };
  return every(EVERY_MS, sweep, (error) => log.warn('segment.changes_not_read', { error }));
}
