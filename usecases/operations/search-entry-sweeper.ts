import type { MikroORM } from '../../db/orm.ts';
import { mergeSearchEntries } from '../../db/queries/operations/search-entries.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';

/** So much as an import writes in it is read through in some tens of milliseconds by a search. */
const EVERY_MS = 1_000;

/** Merges new entries into the indexes that searches read, so that nobody who writes has to. Any number of processes may run one. */
export function startSearchEntrySweeper({ orm, log }: { readonly orm: MikroORM; readonly log: Logger }): Repeating {
  return every(
    EVERY_MS,
    async () => void (await mergeSearchEntries(orm.em.fork())),
    (error) => log.warn('search_entries.not_merged', { error }),
  );
}
