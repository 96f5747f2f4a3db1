import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { MAX_FILE_BYTES } from '../../../domain/files/file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { fileForm, upload } from '../../support/files.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const DATA = join(testEnvironment().scratchDir, 'data');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const objectsOf = ({ id }: TestProject): Promise<string[]> => readdir(join(DATA, 'files', id)).catch(() => []);
const spoolIsEmpty = async (): Promise<boolean> => (await readdir(join(DATA, 'spool')).catch(() => [])).length === 0;

/** Nothing of it is left anywhere. */
async function expectNothing(of: TestProject): Promise<void> {
  await eventually(spoolIsEmpty);
  expect(await objectsOf(of)).toEqual([]);
  expect(await rows(em, sql`select 1 from file_contents where project_id = ${of.id}`)).toEqual([]);
  expect((await of.api.get('/files')).body.files).toEqual([]);
}

/** The bytes of a request's body as they are. */
function post(
  of: TestProject,
  body: string | Buffer<ArrayBuffer>,
  contentType = 'multipart/form-data; boundary=x',
  headers: object = {},
): Promise<Response> {
  const { apiUrl } = testEnvironment();
  const all = { authorization: `Bearer ${of.key}`, ...(contentType ? { 'content-type': contentType } : {}), ...headers };
  return fetch(`${apiUrl}/api/v1/files`, { method: 'POST', headers: all, body });
}

test('a file comes back as it was uploaded, for saving and never shown, until it is deleted', async () => {
  const bytes = randomBytes(200_000);
  const filename = 'Rechnung "März"; 5%.html';
  const { status, body } = await upload(project, bytes, filename, 'Text/HTML; charset=utf-8');
  expect(status).toBe(201);
  const { ok, ...file } = body;
  expect(file).toEqual({
    ...{ id: expect.any(String), filename, content_type: 'text/html', size: bytes.length, sha256: sha256(bytes) },
    ...{ created_at: expect.any(String), expires_at: expect.any(String) },
  });
  expect((Date.parse(file.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(365, 1);
  expect((await project.api.get(`/files/${file.id}`)).body).toEqual({ ok, ...file });
  const { apiUrl } = testEnvironment();
  const got = await fetch(`${apiUrl}/api/v1/files/${file.id}/content`, { headers: { authorization: `Bearer ${project.key}` } });
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(got.headers)).toMatchObject({
    'content-type': 'text/html',
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="Rechnung _Marz_; 5_.html"; filename*=UTF-8''Rechnung%20%22M%C3%A4rz%22%3B%205%25.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  expect((await project.api.delete(`/files/${file.id}`)).body).toEqual({ ok, id: file.id, deleted: true });
  for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) expect((await project.api.get(path)).status).toBe(404);
  expect((await project.api.delete(`/files/${file.id}`)).status).toBe(404);
});

test('no other project sees a file, and the same bytes of both are two objects', async () => {
  const [mine, other] = [await newProject(), await newProject()];
  const bytes = randomBytes(10);
  const { id } = (await upload(mine, bytes)).body;
  for (const path of [`/files/${id}`, `/files/${id}/content`]) expect((await other.api.get(path)).status).toBe(404);
  expect((await other.api.delete(`/files/${id}`)).status).toBe(404);
  expect((await other.api.get('/files')).body.files).toEqual([]);
  await upload(other, bytes);
  expect([await objectsOf(mine), await objectsOf(other)]).toMatchObject([{ length: 1 }, { length: 1 }]);
  await upload(mine, bytes);
  const { nextCursor } = (await mine.api.get('/files?limit=1')).body;
  expect((await other.api.get(`/files?limit=1&cursor=${nextCursor}`)).body.code).toBe('invalid_cursor');
});

test('a list is read page by page, the newest first', async () => {
  const of = await newProject();
  for (const name of ['a', 'b', 'c']) await upload(of, randomBytes(1), name);
  const names: string[] = [];
  for (let path: string | undefined = '/files?limit=2'; path; ) {
    const { files, nextCursor }: { files: { filename: string }[]; nextCursor: string | null } = (await of.api.get(path)).body;
    names.push(...files.map(({ filename }) => filename));
    path = nextCursor ? `/files?limit=2&cursor=${encodeURIComponent(nextCursor)}` : undefined;
  }
  expect(names).toEqual(['c', 'b', 'a']);
});

test('the same bytes uploaded at once are files of their own and one object', async () => {
  const of = await newProject();
  const bytes = randomBytes(1_000_000);
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => upload(of, bytes, name)));
  expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(4);
  expect(await objectsOf(of)).toHaveLength(1);
});

test('an upload with an Idempotency-Key is done once, and another file under it is refused', async () => {
  const of = await newProject();
  const options = { headers: { 'idempotency-key': 'terms' } };
  const bytes = randomBytes(100);
  const [first, again] = [1, 2].map(() => () => of.api.call('POST', '/files', fileForm(bytes), options));
  const { body } = await first!();
  expect(await again!()).toMatchObject({ status: 201, body });
  expect(await of.api.call('POST', '/files', fileForm(randomBytes(100)), options)).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reuse' },
  });
  expect((await of.api.get('/files')).body.files).toHaveLength(1);
});

test('a file that is deleted is not answered any more: the same upload under its key makes another, once', async () => {
  const of = await newProject();
  const bytes = randomBytes(100);
  const again = () => of.api.call('POST', '/files', fileForm(bytes), { headers: { 'idempotency-key': 'logo' } });
  const { id } = (await again()).body;
  expect((await of.api.delete(`/files/${id}`)).status).toBe(200);
  const made = await again();
  expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect((await of.api.get(`/files/${made.body.id}`)).status).toBe(200);
  expect((await again()).body).toEqual(made.body);
});

test('25 MB are taken; a byte more is 413 and leaves nothing', async () => {
  const of = await newProject();
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
  expect(await upload(of, bytes)).toMatchObject({
    status: 413,
    body: { code: 'payload_too_large', error: 'the file is larger than 25 MB' },
  });
  await expectNothing(of);
  expect(await upload(of, bytes.subarray(1))).toMatchObject({ status: 201, body: { size: MAX_FILE_BYTES } });
});

const part = (head: string, body = 'hello'): string => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const named = (filename: string, coding: BufferEncoding = 'utf8') =>
  Buffer.from(`${part(`name="file"; filename="${filename}"`)}--x--`, coding);
const FILE = part('name="file"; filename="a.txt"');

test.each<[string, number, string, string | Buffer<ArrayBuffer>, (string | undefined)?, object?]>([
  ['no form', 415, 'unsupported_media_type', '{}', 'application/json'],
  ['no type', 415, 'unsupported_media_type', 'hello', 'text/plain'],
  ['no boundary', 400, 'malformed_request', `${FILE}--x--`, 'multipart/form-data; charset=utf-8'],
  ['another coding', 415, 'unsupported_media_type', `${FILE}--x--`, undefined, { 'content-encoding': 'gzip' }],
  ['no final boundary', 400, 'malformed_request', FILE],
  ['an end within the part', 400, 'malformed_request', FILE.slice(0, -4)],
  ['an end within the headers', 400, 'malformed_request', FILE.slice(0, 30)],
  ['nothing at all', 400, 'malformed_request', ''],
  ['no part', 422, 'invalid_request', '--x--\r\n'],
  ['another boundary', 400, 'malformed_request', `${FILE}--x--`, 'multipart/form-data; boundary=y'],
  ['two files', 422, 'invalid_request', `${FILE}${FILE}--x--`],
  ['a field beside it', 422, 'invalid_request', `${FILE}${part('name="note"')}--x--`],
  ['a field before it', 422, 'invalid_request', `${part('name="note"')}${FILE}--x--`],
  ['another name', 422, 'invalid_request', `${part('name="upload"; filename="a.txt"')}--x--`],
  ['no filename', 422, 'invalid_request', `${part('name="file"')}--x--`],
  ['an empty filename', 422, 'invalid_request', `${part('name="file"; filename=""')}--x--`],
  ['a filename that is too long', 422, 'invalid_request', `${part(`name="file"; filename="${'a'.repeat(256)}"`)}--x--`],
  ['a filename with a control character', 422, 'invalid_request', `${part('name="file"; filename="a\u0007.txt"')}--x--`],
  ['a filename that shows in another order', 422, 'invalid_request', `${part('name="file"; filename="a\u202etxt.exe"')}--x--`],
  ['a filename with a left-to-right mark', 422, 'invalid_request', named('a\u200e.txt')],
  ['a filename with a right-to-left mark', 422, 'invalid_request', named('a\u200f.txt')],
  ['a filename with an Arabic letter mark', 422, 'invalid_request', named('a\u061c.txt')],
  ['a filename in Latin-1', 422, 'invalid_request', named('März.txt', 'latin1')],
  ['a filename with half a character', 422, 'invalid_request', named('a\xed\xa0\x80.txt', 'latin1')],
  ['a type that is none', 422, 'invalid_request', `${part('name="file"; filename="a"\r\nContent-Type: pdf')}--x--`],
  ['headers without an end', 422, 'invalid_request', part(`name="file"; filename="${'a'.repeat(100_000)}"`)],
])('a body with %s is refused and leaves nothing', async (_, status, code, body, contentType, headers) => {
  const of = await newProject();
  const answer = await post(of, body, contentType, headers);
  expect({ status: answer.status, ...((await answer.json()) as object) }).toMatchObject({ status, code });
  await expectNothing(of);
});

test('a path before a filename is dropped', async () => {
  const answer = await post(project, `${part('name="file"; filename="C:\\\\dir\\\\../../etc/passwd"')}--x--\r\nand what follows`);
  expect(await answer.json()).toMatchObject({
    filename: 'passwd',
    content_type: 'text/plain',
    size: 5,
    sha256: sha256(Buffer.from('hello')),
  });
});

test('a key without the scope uploads nothing, and a test key may', async () => {
  const reader = await project.newKey(['sends:read']);
  expect((await upload(reader, randomBytes(1))).status).toBe(403);
  const tester = await project.newKey(['send'], true);
  const { status, body } = await upload(tester, randomBytes(1));
  expect(status).toBe(201);
  expect((await tester.api.delete(`/files/${body.id}`)).status).toBe(403);
});

/** How many uploads of the project are being received: the bytes of `beginUpload` tell whose they are. */
async function uploading(of: TestProject): Promise<number> {
  const names = await readdir(join(DATA, 'spool'));
  const contents = await Promise.all(names.map((name) => readFile(join(DATA, 'spool', name), 'utf8').catch(() => '')));
  return contents.filter((content) => content.includes(of.id)).length;
}

/** The beginning of an upload, whose caller goes on only when it is told. */
function beginUpload(of: TestProject): { end(): void; cut(): void; answered: Promise<string> } {
  const { port, hostname } = new URL(testEnvironment().apiUrl);
  const socket = connect(Number(port), hostname);
  const body = `${part('name="file"; filename="a.txt"', `${of.id} hello`)}--x--`;
  socket.write(
    `POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${of.key}\r\nConnection: close\r\n` +
      `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -9)}`,
  );
  const answered = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { end: () => socket.write(body.slice(-9)), cut: () => socket.destroy(), answered };
}

test('a connection that is cut in the middle leaves nothing', async () => {
  const of = await newProject();
  const { cut } = beginUpload(of);
  await eventually(async () => (await uploading(of)) === 1);
  cut();
  await expectNothing(of);
});

test('a download whose caller goes away gives its place back', async () => {
  const of = await newProject();
  const { id } = (await upload(of, Buffer.alloc(MAX_FILE_BYTES))).body;
  const { apiUrl } = testEnvironment();
  const begin = async (): Promise<Response> => {
    const answer = await fetch(`${apiUrl}/api/v1/files/${id}/content`, { headers: { authorization: `Bearer ${of.key}` } });
    if (answer.status !== 200) await answer.text();
    return answer;
  };
  const begun = await Promise.all(Array.from({ length: 16 }, begin));
  expect(begun.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect((await begin()).status).toBe(429);
  for (const { body } of begun) await body!.cancel();
  const again = await eventually(async () => {
    const answer = await begin();
    return answer.status === 200 && answer;
  });
  expect((await again.arrayBuffer()).byteLength).toBe(MAX_FILE_BYTES);
});

test('a project uploads eight files at once and no more, and others are not kept waiting', async () => {
  const [slow, other] = [await newProject(), await newProject()];
  const begun = Array.from({ length: 8 }, () => beginUpload(slow));
  await eventually(async () => (await uploading(slow)) === 8);
  const ninth = await upload(slow, randomBytes(1));
  expect(ninth).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(ninth.headers.get('retry-after')).toBe('5');
  expect((await upload(other, randomBytes(1))).status).toBe(201);
  for (const { end } of begun) end();
  for (const { answered } of begun) expect(await answered).toMatch(/^HTTP\/1\.1 201 /);
  expect((await upload(slow, randomBytes(1))).status).toBe(201);
});
