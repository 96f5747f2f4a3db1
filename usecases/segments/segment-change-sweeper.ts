import type { MikroORM } from '../../db/orm.ts';
import { openSegmentChanges } from '../../db/queries/segments/segment-changes.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { partByPart } from '../../platform/part-by-part.ts';
import { tellRuns } from './tell-runs.ts';

export interface SegmentChangeSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
}

const EVERY_MS = 1_000;

/** Tells the runs that wait on segments which have changed, a batch for each segment in turn. Any number of processes may run one. */
export function startSegmentChangeSweeper({ orm, log }: SegmentChangeSweeperDeps): Repeating {
  const sweep = async (stopping: AbortSignal): Promise<void> =>
    partByPart(await openSegmentChanges(orm.em.fork()), {
      doPart: (changed) => tellRuns(orm.em.fork(), changed),
      // It comes again with the next look.
      failed: ({ project_id: projectId }, error) => log.error('segment.runs_not_told', { projectId, error }),
      stopping,
    });
  return every(EVERY_MS, sweep, (error) => log.warn('segment.changes_not_read', { error }));
}
