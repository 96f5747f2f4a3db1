import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkedKey, type ObjectStore } from './object-store.ts';
import { removeLeft } from './spool.ts';

/** Beside the folders of projects, whose names are ids: on the same file system, so that a file is moved to its name at once. */
const DRAFTS = 'drafts';

/** Objects as files of a folder, which several processes may share. */
export async function openFolderStore(root: string): Promise<ObjectStore> {
  const drafts = join(root, DRAFTS);
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  await removeLeft(drafts, new Date());
  const pathOf = (key: string): string => join(root, checkedKey(key));
  return {
    name: 'folder',
    async put(key, file) {
      const path = pathOf(key);
      const draft = join(drafts, randomUUID());
      try {
        await copyFile(file.path, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await flush(draft);
        if (await mkdir(dirname(path), { recursive: true, mode: 0o700 })) await flush(root);
        await rename(draft, path);
        await flush(dirname(path));
      } finally {
        await rm(draft, { force: true });
      }
    },
    async open(key) {
      try {
        const file = await open(pathOf(key));
        return file.createReadStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async close() {},
  };
}

/** Of a folder: the names in it. */
async function flush(path: string): Promise<void> {
  const file = await open(path);
  await file.sync().finally(() => file.close());
}
