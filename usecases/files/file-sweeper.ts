import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { type DoomedContent, doomedContents, forgetContents, markOver } from '../../db/queries/files/file-contents.ts';
import { deleteExpiredFiles } from '../../db/queries/files/files.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { objectKey } from './file-store.ts';

export interface FileSweepDeps {
  readonly objects: Pick<ObjectStore, 'remove'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'filesRemoved'>;
}

export interface FileSweeperDeps extends FileSweepDeps {
  readonly orm: MikroORM;
}

const EVERY_MS = 60_000;
const AT_ONCE = 500;
/** Requests to the object store. */
const REMOVED_AT_ONCE = 8;

/** Removes files and bytes whose time is over. Any number of processes may run one. */
export function startFileSweeper({ orm, ...deps }: FileSweeperDeps): Repeating {
  return every(
    EVERY_MS,
    (stopping) => sweepFiles(orm.em.fork(), deps, stopping),
    (error) => deps.log.warn('files.sweep_failed', { error }),
  );
}

/**
 * Rows are marked first, then their objects are removed, then the rows: whoever dies in between leaves a row that the next sweep goes on with. One
 * that is prolonged meanwhile is not marked, and one that is kept again after its mark has an object of its own.
 */
export async function sweepFiles(em: EntityManager, deps: FileSweepDeps, stopping: AbortSignal): Promise<void> {
  const again = async (some: () => Promise<number>): Promise<void> => {
    while ((await some()) === AT_ONCE && !stopping.aborted);
  };
  await again(() => deleteExpiredFiles(em, AT_ONCE));
  await again(() => markOver(em, AT_ONCE));
  await again(() => removeSome(em, deps, stopping));
}

/** Returns how many it has removed. */
async function removeSome(em: EntityManager, { objects, log, metrics }: FileSweepDeps, stopping: AbortSignal): Promise<number> {
  const removed: DoomedContent[] = [];
  await inParallel(REMOVED_AT_ONCE, await doomedContents(em, AT_ONCE), async (content) => {
    if (stopping.aborted) return;
    try {
      await objects.remove(objectKey(content.project_id, content.id));
      removed.push(content);
    } catch (error) {
      // It comes again with the next sweep.
      log.warn('files.object_not_removed', { projectId: content.project_id, contentId: content.id, error });
    }
  });
  if (removed.length === 0) return 0;
  await forgetContents(
    em,
    removed.map(({ id }) => id),
  );
  const bytes = removed.reduce((sum, { size }) => sum + size, 0);
  metrics.filesRemoved(bytes);
  log.info('files.removed', { count: removed.length, bytes });
  return removed.length;
}
