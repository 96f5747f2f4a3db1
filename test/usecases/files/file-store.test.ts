import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createFolderStore } from '../../../platform/objects/folder-store.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { createFileStore, type FileStore } from '../../../usecases/files/file-store.ts';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { database, newProject } from '../../support/project.ts';

const HOUR_MS = 3_600_000;
const dataDir = join(testEnvironment().scratchDir, 'file-store');

let em: EntityManager;
let objects: ObjectStore;
let files: FileStore;
let projectId: string;

beforeAll(async () => {
  em = await database();
  projectId = (await newProject()).id;
  objects = createFolderStore(join(dataDir, 'files'));
  files = createFileStore({ objects, dataDir, log: createLogger('silent', {}), now: () => new Date(), newId: () => uuidv7() });
  afterFile(() => files.close());
});

async function* pieces(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

const inAnHour = (): Date => new Date(Date.now() + HOUR_MS);
const spooled = (): Promise<string[]> => readdir(join(dataDir, 'spool'));

test('what is kept comes out as it went in, once a project, and no other project finds it', async () => {
  const bytes = randomBytes(12_345);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const keep = async (): Promise<unknown> => {
    await using file = await files.spool(pieces(bytes), bytes.length);
    return await files.keep(em.fork(), projectId, file, inAnHour());
  };
  expect(await files.prolong(em.fork(), projectId, sha256, inAnHour())).toBe(false);
  expect(await Promise.all([keep(), keep(), keep()])).toEqual(Array(3).fill({ size: bytes.length, sha256 }));
  expect(await readdir(join(dataDir, 'files', projectId))).toHaveLength(1);
  expect(await spooled()).toEqual([]);
  expect(await buffer((await files.open(em.fork(), projectId, sha256))!)).toEqual(bytes);
  expect(await files.prolong(em.fork(), projectId, sha256, inAnHour())).toBe(true);
  const other = await newProject();
  expect(await files.open(em.fork(), other.id, sha256)).toBeUndefined();
  expect(await files.prolong(em.fork(), other.id, sha256, inAnHour())).toBe(false);
});

test('bytes in hand are stored again where their object was lost, once', async () => {
  const bytes = randomBytes(1000);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const keep = async (store: FileStore): Promise<unknown> => {
    await using file = await store.spool(pieces(bytes), bytes.length);
    return await store.keep(em.fork(), projectId, file, inAnHour());
  };
  await keep(files);
  // Of a process that keeps its files elsewhere, or after a restore.
  const elsewhere = await mkdtemp(join(testEnvironment().scratchDir, 'file-store-'));
  const log = createLogger('silent', {});
  const others = createFileStore({
    ...{ objects: createFolderStore(join(elsewhere, 'files')), dataDir: elsewhere, log },
    ...{ now: () => new Date(), newId: () => uuidv7() },
  });
  afterFile(() => others.close());
  expect(await others.open(em.fork(), projectId, sha256)).toBeUndefined();
  expect(await keep(others)).toEqual({ size: bytes.length, sha256 });
  expect(await buffer((await others.open(em.fork(), projectId, sha256))!)).toEqual(bytes);
  expect(await readdir(join(elsewhere, 'files', projectId))).toHaveLength(1);
});

test('what is too large, or ends with its source, leaves nothing', async () => {
  await expect(files.spool(pieces(randomBytes(2001)), 2000)).rejects.toThrow('larger than 2000 bytes');
  const broken = async function* (): AsyncIterable<Uint8Array> {
    yield randomBytes(10);
    throw new Error('cut');
  };
  await expect(files.spool(broken(), 2000)).rejects.toThrow('cut');
  expect(await spooled()).toEqual([]);
});
