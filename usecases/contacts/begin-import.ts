import type { ContactImportRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import {
  beginImport,
  endImport,
  giveUpReceiving,
  importsToStart,
  insertImport,
  type NewImport,
  setImportPaused,
} from '../../db/queries/contacts/imports.ts';
import { enqueue, enqueueEach, importSignal, importStart } from '../../db/queries/operations/outbox.ts';
import { MOST_OPEN_IMPORTS } from '../../domain/contacts/import.ts';
import { Refusal } from '../../domain/errors.ts';
import type { SpooledFile } from '../../platform/objects/object-store.ts';
import type { FileStore } from '../files/file-store.ts';

/** Where the file of an import is kept. */
export function importKey(id: string): string {
  return `imports/${id}`;
}

/**
 * Keeps the file, which may take its time, and has a workflow read it. Its row is there before the file is, so that what is left of one whose process
 * dies is removed. Throws too_many_imports.
 */
export async function receiveImport(
  em: EntityManager,
  files: Pick<FileStore, 'owned'>,
  asked: NewImport & { readonly isPaused: boolean },
  file: SpooledFile,
): Promise<ContactImportRow> {
  const received = await em.transactional((tx) => insertImport(tx, asked));
  if (!received)
    throw new Refusal('too_many_imports', `a project has at most ${MOST_OPEN_IMPORTS} imports that run or are paused: wait, or cancel one`);
  try {
    await files.owned.put(importKey(asked.id), file);
  } catch (error) {
    // It takes the place of no other one; the sweep removes what may be there of its file.
    await giveUpReceiving(em, asked.id);
    throw error;
  }
  const begun = await em.transactional(async (tx) => {
    const running = await beginImport(tx, asked.id, asked.isPaused ? 'paused' : 'running');
    if (running) await enqueue(tx, asked.project_id, [importStart(asked.id)], { isBulk: true });
    return running;
  });
  if (!begun) throw new Refusal('unavailable', 'storing the file took too long, so it was discarded; try again', { retryAfterSeconds: 5 });
  return begun;
}

type Told = Pick<ContactImportRow, 'id' | 'project_id'>;

/** After it no row more is imported until it goes on; what was is not taken back. Whether it ran, or was paused. */
export async function pauseImport(em: EntityManager, told: Told, isPaused: boolean): Promise<boolean> {
  return telling(em, told, (tx) => setImportPaused(tx, told.id, isPaused));
}

/** After it no row more is imported. Whether it was open. */
export async function cancelImport(em: EntityManager, told: Told): Promise<boolean> {
  return telling(em, told, (tx) => endImport(tx, told.id, 'cancelled'));
}

async function telling(em: EntityManager, { id, project_id }: Told, change: (tx: EntityManager) => Promise<boolean>): Promise<boolean> {
  return em.transactional(async (tx) => {
    const changed = await change(tx);
    if (changed) await enqueue(tx, project_id, [importSignal(id)]);
    return changed;
  });
}

/** Starts the workflows of those that are open; one whose start is on its way already is passed over. Returns how many. */
export async function restartImports(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await importsToStart(tx, ids), importStart, { isBulk: true });
}
