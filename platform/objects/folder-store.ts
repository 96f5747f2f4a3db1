import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkedKey, type ObjectStore, onDisk } from './object-store.ts';
import { removeLeft } from './spool.ts';

/** Beside the folders of projects, whose names are ids: on the same file system, so that a file is moved to its name at once. */
const DRAFTS = 'drafts';

/** Objects as files of a folder, which several processes and machines may share. It is made when it is first written to. */
export function createFolderStore(root: string): ObjectStore {
  const drafts = join(root, DRAFTS);
  const pathOf = (key: string): string => join(root, checkedKey(key));
  return {
    name: 'folder',
    put: async (key, file) => onDisk(put(file.path, pathOf(key), { root, drafts })),
    async open(key, from = 0) {
      try {
        return (await open(pathOf(key))).createReadStream({ start: from });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        return onDisk(Promise.reject(error));
      }
    },
    async has(key) {
      try {
        return (await stat(pathOf(key))).isFile();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        return onDisk(Promise.reject(error));
      }
    },
    remove: async (key) => onDisk(rm(pathOf(key), { force: true })),
    async close() {},
  };
}

/** Removes what was left of files that were being stored when their process died. */
export async function removeDrafts(root: string, now: Date): Promise<void> {
  await removeLeft(join(root, DRAFTS), now);
}

/** The file is moved to its name when all of it is on the disk, and the name is there after a crash. */
async function put(from: string, path: string, { root, drafts }: { readonly root: string; readonly drafts: string }): Promise<void> {
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const draft = join(drafts, randomUUID());
  try {
    await copyFile(from, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await flush(draft);
    if (await mkdir(dirname(path), { recursive: true, mode: 0o700 })) await flush(root);
    await rename(draft, path);
    await flush(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Of a file what it holds, of a folder the names in it. */
async function flush(path: string): Promise<void> {
  const file = await open(path);
  await file.sync().finally(() => file.close());
}
