import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { markOver, openContent } from '../../../db/queries/files/file-contents.ts';
import { deleteFile, fileById, insertFile } from '../../../db/queries/files/files.ts';
import { deleteImage, insertImage } from '../../../db/queries/files/images.ts';
import { row, rows } from '../../../db/rows.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createFolderStore } from '../../../platform/objects/folder-store.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { createFileStore, type FileStore, objectKey } from '../../../usecases/files/file-store.ts';
import { sweepFiles } from '../../../usecases/files/file-sweeper.ts';
import { afterFile } from '../../support/after-file.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testEnvironment } from '../../support/environment.ts';
import { readPage } from '../../support/metrics-page.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const dataDir = join(testEnvironment().scratchDir, 'file-sweeper');
const log = createLogger('silent', {});
const NEVER = new AbortController().signal;
const DAY_MS = 86_400_000;

let orm: MikroORM;
let em: EntityManager;
let objects: ObjectStore;
let files: FileStore;
let projectId: string;

beforeAll(async () => {
  orm = await ownDatabase();
  objects = createFolderStore(join(dataDir, 'files'));
  files = createFileStore({ objects, dataDir, log, now: () => new Date(), newId: () => uuidv7() });
  afterFile(() => files.close());
});

beforeEach(async () => {
  em = orm.em.fork();
  projectId = (await bareProject(em)).id;
});

const tomorrow = (): Date => new Date(Date.now() + DAY_MS);
const metrics = createMetrics();
const sweep = (through: Pick<ObjectStore, 'remove'> = objects): Promise<void> =>
  sweepFiles(orm.em.fork(), { objects: through, log, metrics }, NEVER);
const stored = async (): Promise<string[]> => (await readdir(join(dataDir, 'files', projectId)).catch(() => [])).sort();
const contents = async (): Promise<string[]> =>
  (await rows(em, sql<{ id: string }>`select id from file_contents where project_id = ${projectId} order by id`)).map(({ id }) => id);

/** Keeps so many bytes until tomorrow; gives their hash. */
async function keep(bytes: Buffer = randomBytes(10)): Promise<string> {
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    yield bytes;
  };
  await using file = await files.spool(pieces(), bytes.length);
  return (await files.keep(orm.em.fork(), projectId, file, tomorrow())).sha256;
}

/** As if its time had come. */
async function expire(sha256: string): Promise<void> {
  await row(
    em,
    sql`update file_contents set kept_until = now() - interval '1 s', look_at = now() - interval '1 s' where project_id = ${projectId} and sha256 = ${sha256}`,
  );
}

async function uploaded(sha256: string): Promise<string> {
  return (await insertFile(em, { id: uuidv7(), projectId, sha256, filename: 'a', contentType: 'text/plain' }))!.id;
}

test('what nobody needs any more is gone, row and object, and all else stays', async () => {
  const [over, kept] = [await keep(randomBytes(1234)), await keep()];
  await expire(over);
  await sweep();
  expect(await files.open(em, projectId, over)).toBeUndefined();
  expect(await files.open(em, projectId, kept).then((bytes) => buffer(bytes!))).toHaveLength(10);
  expect(await stored()).toEqual(await contents());
  expect(await stored()).toHaveLength(1);
  expect(readPage(await metrics.page()).sum('everpost_file_bytes_removed_total')).toBe(1234);
});

test('a picture keeps its bytes until it is deleted, however long that is', async () => {
  const sha256 = await keep();
  const image = { id: uuidv7(), projectId, sha256, filename: 'a.png', contentType: 'image/png', width: 1, height: 1 } as const;
  await insertImage(em, image);
  for (let month = 0; month < 3; month++) {
    await expire(sha256);
    await sweep();
    expect(await stored()).toHaveLength(1);
  }
  expect(await deleteImage(em, projectId, image.id)).toBe(true);
  await expire(sha256);
  await sweep();
  expect([await stored(), await contents()]).toEqual([[], []]);
});

test('the bytes of a deleted picture go without anybody looking for them', async () => {
  const sha256 = await keep();
  const image = { id: uuidv7(), projectId, sha256, filename: 'a.png', contentType: 'image/png', width: 1, height: 1 } as const;
  await insertImage(em, image);
  await expire(sha256);
  await sweep();
  await deleteImage(em, projectId, image.id);
  await sweep();
  expect([await stored(), await contents()]).toEqual([[], []]);
});

test('an uploaded file keeps its bytes until it is deleted, or its time is over', async () => {
  const sha256 = await keep();
  const [deleted, forgotten] = [await uploaded(sha256), await uploaded(sha256)];
  await expire(sha256);
  await sweep();
  expect(await stored()).toHaveLength(1);
  await deleteFile(em, projectId, deleted);
  await sweep();
  expect(await stored()).toHaveLength(1);
  await row(em, sql`update files set expires_at = now() - interval '1 s' where id = ${forgotten}`);
  expect(await fileById(em, projectId, forgotten)).toBeUndefined();
  await row(em, sql`update file_contents set look_at = now() - interval '1 s' where project_id = ${projectId}`);
  await sweep();
  expect([await stored(), await contents(), await rows(em, sql`select 1 from files where project_id = ${projectId}`)]).toEqual([
    [],
    [],
    [],
  ]);
});

test('a deleted file leaves its bytes to the mails that need them', async () => {
  const sha256 = await keep();
  await deleteFile(em, projectId, await uploaded(sha256));
  await sweep();
  expect(await stored()).toHaveLength(1);
});

test('the use of its bytes prolongs an uploaded file', async () => {
  const sha256 = await keep();
  const id = await uploaded(sha256);
  await row(em, sql`update files set expires_at = now() + interval '3 days' where id = ${id}`);
  expect(await files.prolong(em, projectId, sha256, tomorrow())).toBe(true);
  expect(((await fileById(em, projectId, id))!.expiresAt.getTime() - Date.now()) / DAY_MS).toBeCloseTo(365, 1);
});

test('what is prolonged while the sweep looks at it stays', async () => {
  const sha256 = await keep();
  await expire(sha256);
  await orm.em.fork().transactional(async (tx) => {
    expect(await files.prolong(tx, projectId, sha256, tomorrow())).toBe(true);
    await sweep();
  });
  await sweep();
  expect(await stored()).toHaveLength(1);
  expect(await files.open(em, projectId, sha256)).toBeDefined();
});

test('what is marked while it is prolonged is gone for who prolongs it, and kept anew for who keeps it', async () => {
  const bytes = randomBytes(10);
  const sha256 = await keep(bytes);
  const [before] = await stored();
  await expire(sha256);
  const waiting = await orm.em.fork().transactional(async (tx) => {
    await markOver(tx, 100);
    const both = [files.prolong(orm.em.fork(), projectId, sha256, tomorrow()), keep(bytes)] as const;
    await untilBlocked(tx, 2);
    return both;
  });
  expect(await waiting[0]).toBe(false);
  expect(await waiting[1]).toBe(sha256);
  expect(await stored()).toHaveLength(2);
  await sweep();
  expect(await stored()).toEqual(await contents());
  expect(await stored()).not.toContain(before);
  expect(await buffer((await files.open(em, projectId, sha256))!)).toEqual(bytes);
});

test('no file is uploaded on bytes that were marked', async () => {
  const sha256 = await keep();
  await expire(sha256);
  const inserting = await orm.em.fork().transactional(async (tx) => {
    await markOver(tx, 100);
    const begun = insertFile(orm.em.fork(), { id: uuidv7(), projectId, sha256, filename: 'a', contentType: 'text/plain' });
    await untilBlocked(tx);
    return [begun] as const;
  });
  expect(await inserting[0]).toBeUndefined();
});

test('a sweep that dies after its mark, or after it removed an object, is gone on with by the next', async () => {
  const [first, second] = [await keep(), await keep()];
  for (const sha256 of [first, second]) await expire(sha256);
  await markOver(em, 100);
  const [one] = await contents();
  await objects.remove(objectKey(projectId, one!));
  await sweep();
  expect([await stored(), await contents()]).toEqual([[], []]);
});

test('a process that dies while it stores leaves nothing that can be read, and whoever keeps the same goes on', async () => {
  const bytes = randomBytes(10);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id } = await openContent(em, { projectId, sha256, id: uuidv7(), size: bytes.length });
  expect(await files.open(em, projectId, sha256)).toBeUndefined();
  expect(await files.prolong(em, projectId, sha256, tomorrow())).toBe(false);
  await keep(bytes);
  expect(await stored()).toEqual([id]);
});

test('an object that cannot be removed keeps no other, and is removed later', async () => {
  const all = [await keep(), await keep(), await keep()];
  for (const sha256 of all) await expire(sha256);
  const [, stuck] = await stored();
  await sweep({
    remove: async (key) => {
      if (key.endsWith(stuck!)) throw new Error('not now');
      await objects.remove(key);
    },
  });
  expect([await stored(), await contents()]).toEqual([[stuck], [stuck]]);
  await sweep();
  expect([await stored(), await contents()]).toEqual([[], []]);
});
