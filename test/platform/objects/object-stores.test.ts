import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../../platform/config.ts';
import { ConfigError } from '../../../platform/config-error.ts';
import { createLogger } from '../../../platform/logger.ts';
import { removeDrafts } from '../../../platform/objects/folder-store.ts';
import type { ObjectStore, SpooledFile } from '../../../platform/objects/object-store.ts';
import { objectFolder, openObjectStore } from '../../../platform/objects/open-object-store.ts';
import { createS3Store } from '../../../platform/objects/s3-store.ts';
import { readS3Url } from '../../../platform/objects/s3-url.ts';
import { spoolTo } from '../../../platform/objects/spool.ts';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';

const MB = 1024 * 1024;

let dataDir: string;
let s3: S3Server;
const stores: Partial<Record<'folder' | 's3', ObjectStore>> = {};

beforeAll(async () => {
  dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'objects-'));
  s3 = await startS3Server();
  stores.folder = await opened(undefined);
  stores.s3 = await opened(s3.filesUrl);
  afterFile(async () => {
    await stores.s3?.close();
    await s3.stop();
  });
});

function opened(filesUrl: Config['filesUrl'], awsCredentials?: Config['awsCredentials']): Promise<ObjectStore> {
  return openObjectStore({ filesUrl, dataDir, awsCredentials }, createLogger('silent', {}));
}

function spooled(bytes: Buffer): Promise<SpooledFile> {
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000);
  };
  return spoolTo(join(dataDir, 'spool'), pieces(), 100 * MB);
}

const newKey = (): string => `${randomUUID()}/${randomUUID()}`;

test('each store is tried when it is opened, and nothing of that is left', async () => {
  expect(s3.requests.map((request) => request.replace(/[0-9a-f-]{36}$/, '…'))).toEqual([
    'PUT /bucket/pre/fix/check/…',
    'GET /bucket/pre/fix/check/…',
    'DELETE /bucket/pre/fix/check/…',
  ]);
  expect(s3.objects.size).toBe(0);
  expect(await readdir(join(objectFolder(dataDir), 'check'))).toEqual([]);
  expect(await readdir(join(objectFolder(dataDir), 'drafts'))).toEqual([]);
});

describe.each(['folder', 's3'] as const)('%s', (name) => {
  test.each([0, 1, 64 * 1024 - 1, 5 * MB, 25 * MB + 3])('%i bytes come back as they were put, until they are removed', async (size) => {
    const store = stores[name]!;
    const bytes = randomBytes(size);
    await using file = await spooled(bytes);
    const key = newKey();
    expect([await store.open(key), await store.has(key)]).toEqual([undefined, false]);
    await store.put(key, file);
    await store.put(key, file);
    expect(await store.has(key)).toBe(true);
    expect((await buffer((await store.open(key))!)).equals(bytes)).toBe(true);
    await store.remove(key);
    await store.remove(key);
    expect(await store.open(key)).toBeUndefined();
  });

  test('an object is read from any of its bytes on', async () => {
    const store = stores[name]!;
    const bytes = randomBytes(200_000);
    await using file = await spooled(bytes);
    const key = newKey();
    await store.put(key, file);
    for (const from of [0, 1, 65_536, 199_999])
      expect((await buffer((await store.open(key, from))!)).equals(bytes.subarray(from))).toBe(true);
    expect(await store.open(newKey(), 5)).toBeUndefined();
  });

  test.each(['../out', 'a/../../b', '/a', 'a//b', 'A', 'a.txt', 'a/', ''])('%j is no key', async (key) => {
    const store = stores[name]!;
    await using file = await spooled(randomBytes(1));
    await expect(store.put(key, file)).rejects.toThrow('no key of an object');
    await expect(store.open(key)).rejects.toThrow('no key of an object');
    await expect(store.remove(key)).rejects.toThrow('no key of an object');
  });
});

test('a store that fails for a moment is asked again, and one that refuses is not', async () => {
  const store = stores.s3!;
  await using file = await spooled(randomBytes(100_000));
  const key = newKey();
  s3.fail('PUT', 'cut', { status: 503, code: 'SlowDown' });
  await store.put(key, file);
  expect(s3.objects.get(`/bucket/pre/fix/${key}`)).toHaveLength(100_000);
  s3.fail('PUT', { status: 403, code: 'AccessDenied' });
  const asked = s3.requests.length;
  await expect(store.put(key, file)).rejects.toMatchObject({ name: 'ObjectStoreFailure', code: 'AccessDenied' });
  expect(s3.requests.length).toBe(asked + 1);
  s3.fail('PUT', ...Array(3).fill({ status: 500, code: 'InternalError' }));
  await expect(store.put(key, file)).rejects.toMatchObject({ name: 'ObjectStoreFailure', code: 'InternalError' });
});

test('an answer that does not come is not waited for, and the request is made again', async () => {
  const store = createS3Store(readS3Url(s3.filesUrl, undefined), 300);
  await using file = await spooled(randomBytes(10));
  const key = newKey();
  s3.fail('PUT', 'stall', 'stall');
  await store.put(key, file);
  s3.fail('GET', 'stall', 'stall', 'stall');
  await expect(store.open(key)).rejects.toThrow(/cannot be reached: no answer within 0\.\d+ s/);
  await store.close();
});

test('an answer that breaks off is an error of the stream and never a short file', async () => {
  const store = stores.s3!;
  await using file = await spooled(randomBytes(200_000));
  const key = newKey();
  await store.put(key, file);
  for (const from of [0, 150_000]) {
    s3.fail('GET', 'cut');
    const stream = (await store.open(key, from))!;
    await expect(buffer(stream)).rejects.toThrow();
  }
});

test.each<[string, (url: URL) => void, RegExp]>([
  [
    'no such bucket',
    (url) => (url.hostname = 'other'),
    /^FILES_URL: there is no bucket "other"; make it, or name another; 127\.0\.0\.1:\d+ says NoSuchBucket/,
  ],
  [
    'another key',
    (url) => (url.username = 'AKIDOTHER'),
    /^FILES_URL: the credentials are not right; look at AWS_ACCESS_KEY_ID.*InvalidAccessKeyId/,
  ],
  ['another secret', (url) => (url.password = 'other'), /^FILES_URL: the credentials are not right.*SignatureDoesNotMatch/],
  [
    'another region',
    (url) => url.searchParams.set('region', 'us-east-2'),
    /^FILES_URL: the bucket "bucket" is not in the region us-east-2/,
  ],
])('with %s the start ends with words', async (_, change, message) => {
  const url = new URL(s3.filesUrl);
  change(url);
  const failed: unknown = await opened(url).catch((error) => error);
  expect(failed).toBeInstanceOf(ConfigError);
  expect((failed as Error).message).toMatch(message);
});

test('a store that is away keeps nothing else from starting', async () => {
  const away = await startS3Server();
  await away.stop();
  const store = await opened(away.filesUrl);
  await using file = await spooled(randomBytes(1));
  await expect(store.put(newKey(), file)).rejects.toThrow('the object store cannot be reached: ECONNREFUSED');
  await store.close();
});

const AWS = { accessKeyId: 'a', secretAccessKey: 'b' };

test.each([
  ['s3://mails?region=eu-west-1', 'https://mails.s3.eu-west-1.amazonaws.com/'],
  ['s3://mails/a/b/?region=eu-west-1', 'https://mails.s3.eu-west-1.amazonaws.com/a/b/'],
  ['s3://my.mails/a?region=eu-west-1', 'https://s3.eu-west-1.amazonaws.com/my.mails/a/'],
  ['s3://mails?endpoint=http://minio:9000', 'http://minio:9000/mails/'],
  ['s3://mails/a?endpoint=https://fra1.digitaloceanspaces.com&style=host', 'https://mails.fra1.digitaloceanspaces.com/a/'],
])('%s keeps objects at %s', (text, base) => {
  expect(readS3Url(new URL(text), AWS).base.href).toBe(base);
});

test.each([
  ['s3://mails', 'names no region'],
  ['s3://Ma_ils?region=eu-west-1', 'names the bucket "Ma_ils"'],
  ['s3://b?region=eu-west-1', 'names the bucket "b"'],
  ['s3://mails/a%20b?region=eu-west-1', 'has a prefix with more than'],
  ['s3://mails/../b?region=eu-west-1&path=1', 'has the option "path"'],
  ['s3://mails?endpoint=minio:9000', 'has an endpoint that is no plain'],
  ['s3://mails?region=eu-west-1&style=dns', 'has a style that is neither'],
])('%s is refused with what is wrong', (text, why) => {
  expect(() => readS3Url(new URL(text), AWS)).toThrow(`FILES_URL ${why}`);
});

test('without credentials the variables are named', () => {
  expect(() => readS3Url(new URL('s3://mails?region=eu-west-1'), undefined)).toThrow('needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
});

test('a store that knows no parts of objects is told, and never read from the beginning instead', async () => {
  const store = stores.s3!;
  await using file = await spooled(randomBytes(10));
  const key = newKey();
  await store.put(key, file);
  s3.fail('GET', 'whole');
  await expect(store.open(key, 5)).rejects.toThrow('no part of an object');
});

test('what a killed process left is removed, and what others are writing is not', async () => {
  const drafts = join(objectFolder(dataDir), 'drafts');
  for (const name of ['left', 'new']) await writeFile(join(drafts, name), 'x');
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(join(drafts, 'left'), yesterday, yesterday);
  await removeDrafts(objectFolder(dataDir), new Date());
  expect(await readdir(drafts)).toEqual(['new']);
});
