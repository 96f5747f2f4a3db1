import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import { findContent, markStored, openContent, prolongContent } from '../../db/queries/files/file-contents.ts';
import { every } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { removeDrafts } from '../../platform/objects/folder-store.ts';
import type { ObjectStore, SpooledFile } from '../../platform/objects/object-store.ts';
import { objectFolder } from '../../platform/objects/open-object-store.ts';
import { removeLeft, spoolTo } from '../../platform/objects/spool.ts';

/** What a row or a waiting mail says of a file; bytes are found by project and sha256. */
export interface KeptContent {
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

/**
 * The one way of bytes in and out: kept once a project, for a time. Nothing of it belongs into a transaction but `prolong`: the object store may
 * be far away.
 */
export interface FileStore {
  /** Spools a stream to DATA_DIR: never the whole of it in memory. Refuses ('payload_too_large') past `most` bytes. */
  spool(source: AsyncIterable<Uint8Array>, most: number): Promise<SpooledFile>;
  /** Keeps the bytes for the project until `until` at least; the same bytes of a project are kept once. After its promise they are durable. */
  keep(em: EntityManager, projectId: string, file: SpooledFile, until: Date): Promise<KeptContent>;
  /** Prolongs what is kept already, and what was uploaded with these bytes; false: it is gone. */
  prolong(em: EntityManager, projectId: string, sha256: string, until: Date): Promise<boolean>;
  /** undefined: never kept, or its time is over. */
  open(em: EntityManager, projectId: string, sha256: string): Promise<Readable | undefined>;
  /** Bytes of one owner, which names them and removes them: their row is there before them. */
  readonly owned: OwnedFiles;
  close(): Promise<void>;
}

/** Files that nobody shares, under keys of their own. */
export interface OwnedFiles {
  put(key: string, file: SpooledFile): Promise<void>;
  /** From so many bytes on; undefined: there is none. */
  open(key: string, from: number): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
}

export interface FileStoreDeps {
  readonly objects: ObjectStore;
  readonly dataDir: string;
  readonly log: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What processes left that died is looked for so often. */
const LOOK_FOR_LEFT_MS = 3_600_000;
/** The sweep may be quicker than who stores, once; twice in a row it is broken. */
const MOST_TRIES = 3;

/** Objects that were there a while ago are not looked for each time that the same bytes come. */
const SEEN_OBJECTS = 10_000;
const SEEN_MS = 600_000;

/** The key of a content's object: never the hash, so that a sweep which removes one cannot take another that was kept again meanwhile. */
export function objectKey(projectId: string, contentId: string): string {
  return `${projectId}/${contentId}`;
}

export function createFileStore({ objects, dataDir, log, now, newId }: FileStoreDeps): FileStore {
  const folder = join(dataDir, 'spool');
  const tidying = every(
    LOOK_FOR_LEFT_MS,
    async () => {
      await removeLeft(folder, now());
      await removeDrafts(objectFolder(dataDir), now());
    },
    (error) => log.warn('files.left_not_removed', { error }),
  );
  const seen = new LRUCache<string, true>({ max: SEEN_OBJECTS, ttl: SEEN_MS });
  /** An object may be lost while its row stands: a folder that is not shared, a database restored without its files. */
  const putUnlessThere = async (key: string, file: SpooledFile): Promise<void> => {
    if (seen.has(key)) return;
    if (!(await objects.has(key))) {
      log.warn('files.object_lost', { store: objects.name, key });
      await objects.put(key, file);
    }
    seen.set(key, true);
  };
  return {
    spool: (source, most) => spoolTo(folder, source, most),
    async keep(em, projectId, file, until) {
      const { size, sha256 } = file;
      const known = await prolongContent(em, { projectId, sha256 }, until);
      if (known !== undefined) {
        await putUnlessThere(objectKey(projectId, known), file);
        return { size, sha256 };
      }
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const { id, isStored } = await openContent(em, { projectId, sha256, id: newId(), size });
        const key = objectKey(projectId, id);
        await (isStored ? putUnlessThere(key, file) : objects.put(key, file));
        if (await markStored(em, id, until)) return { size, sha256 };
        // Its row was removed while it was stored, so nobody else knows the object.
        await objects.remove(key);
      }
      throw new Error('the bytes were stored and removed again and again: storing takes longer than the sweep waits for');
    },
    prolong: async (em, projectId, sha256, until) => (await prolongContent(em, { projectId, sha256 }, until)) !== undefined,
    async open(em, projectId, sha256) {
      const id = await findContent(em, { projectId, sha256 });
      return id === undefined ? undefined : objects.open(objectKey(projectId, id));
    },
    owned: {
      put: (key, file) => objects.put(key, file),
      open: (key, from) => objects.open(key, from),
      remove: (key) => objects.remove(key),
    },
    close: () => tidying.stop(),
  };
}
