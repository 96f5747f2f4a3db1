import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { forgetImportFile, giveUpReceiving, importFilesOver } from '../../db/queries/contacts/imports.ts';
import { STORING_MS } from '../../domain/files/file.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import type { FileStore } from '../files/file-store.ts';
import { importKey } from './begin-import.ts';

export interface ImportSweeperDeps {
  readonly orm: MikroORM;
  readonly files: Pick<FileStore, 'owned'>;
  readonly log: Logger;
  readonly now: () => Date;
}

const EVERY_MS = 60_000;
const AT_ONCE = 100;

/** Removes the files of imports that have ended, and of those that were never received. Any number of processes may run one. */
export function startImportFileSweeper({ orm, ...deps }: ImportSweeperDeps): Repeating {
  return every(
    EVERY_MS,
    () => sweepImportFiles(orm.em.fork(), deps),
    (error) => deps.log.warn('imports.sweep_failed', { error }),
  );
}

/** The object goes before its row says so: whoever dies in between leaves a row that the next sweep goes on with. */
export async function sweepImportFiles(em: EntityManager, { files, now }: Omit<ImportSweeperDeps, 'orm' | 'log'>): Promise<void> {
  const over = await importFilesOver(em, new Date(now().getTime() - STORING_MS), AT_ONCE);
  for (const { id } of over) {
    await giveUpReceiving(em, id);
    await files.owned.remove(importKey(id));
    await forgetImportFile(em, id);
  }
}
