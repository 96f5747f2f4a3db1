import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { readByPostalMime, someBytes } from '../../platform/mail/attached.ts';
import { eventually } from '../../support/eventually.ts';
import { failedRow, REJECTED, sendRecord } from '../../support/failed-mails.ts';
import { upload } from '../../support/files.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
let em: EntityManager;
beforeAll(async () => {
  [project, em] = await Promise.all([newProject(), database()]);
  await enableTemplates(project, 'receipt');
});

/** Different ones each time. */
let seed = 100;
const newBytes = () => someBytes(5_000, ++seed);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const attached = (bytes: Buffer) => ({ attachments: [{ filename: 'a.bin', content: bytes.toString('base64') }] });
const send = (body: object) => project.api.post('/send', { template: 'receipt', ...body });
const statusOfDownload = async (id: string): Promise<number> => (await project.api.get(`/sends/${id}/attachments/0`)).status;

/** As when its time is over. */
async function forget(bytes: Buffer): Promise<void> {
  await row(em, sql`update file_contents set removed_at = now() where project_id = ${project.id} and sha256 = ${sha256(bytes)}`);
}

/** The row of a mail with this file that its mail server would not have. */
async function failedWith(bytes: Buffer): Promise<{ to: string; id: string }> {
  const to = project.address();
  await scriptMail(to, REJECTED);
  expect((await send({ to, ...attached(bytes) })).body.reason).toBe('provider_rejected');
  await scriptMail(to, {});
  return { to, id: (await failedRow(em, to)).id };
}

test('a mail that is sent again has the same files, which are kept for it', async () => {
  const bytes = newBytes();
  const { to, id } = await failedWith(bytes);
  await row(
    em,
    sql`update file_contents set kept_until = now() + interval '1 hour' where project_id = ${project.id} and sha256 = ${sha256(bytes)}`,
  );
  const { send_id } = must(await project.api.post(`/sends/${id}/retry`), 200);
  expect((await readByPostalMime((await mailTo(to))[0]!.raw)).files).toMatchObject([{ filename: 'a.bin', sha256: sha256(bytes) }]);
  expect((await sendRecord(project, send_id)).attachments).toMatchObject([{ filename: 'a.bin', sha256: sha256(bytes) }]);
  expect(await keptDays(bytes)).toBeGreaterThan(29);
});

/** How many days from now on. */
async function keptDays(bytes: Buffer): Promise<number> {
  const found = await row(
    em,
    sql<{ days: number }>`select (extract(epoch from kept_until - now()) / 86400)::float8 as days from file_contents
      where project_id = ${project.id} and sha256 = ${sha256(bytes)}`,
  );
  return found!.days;
}

test('files of a mail for later are kept from when it goes, also when it is moved', async () => {
  const bytes = newBytes();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const { id } = must(await send({ to: project.address(), ...attached(bytes), sendAt: inDays(10) }), 202);
  expect(await keptDays(bytes)).toBeGreaterThan(39);
  must(await project.api.call('PATCH', `/sends/${id}`, { sendAt: inDays(80) }), 200);
  expect(await keptDays(bytes)).toBeGreaterThan(109);
});

test('when its time is over a file is no longer downloaded, and its mail not sent again', async () => {
  const bytes = newBytes();
  const { to, id } = await failedWith(bytes);
  expect(await statusOfDownload(id)).toBe(200);
  await forget(bytes);
  expect(await statusOfDownload(id)).toBe(404);
  const { status, body } = await project.api.post(`/sends/${id}/retry`);
  expect([status, body.code, body.error]).toEqual([422, 'invalid_status', expect.stringContaining('a.bin')]);
  expect(await mailNow(to)).toEqual([]);
});

test('a mail for later whose file is gone when it goes has failed, and says so', async () => {
  const [to, bytes] = [project.address(), newBytes()];
  const { id } = must(await send({ to, ...attached(bytes), sendAt: new Date(Date.now() + 60_000) }), 202);
  await forget(bytes);
  must(await project.api.call('PATCH', `/sends/${id}`, { sendAt: new Date() }), 200);
  const record = await eventually(async () => {
    const { body } = await project.api.get(`/sends/${id}`);
    return body.send?.status === 'failed' && body.send;
  });
  expect(record.error).toBe('attachment_gone: the attachment a.bin is not kept any more');
  expect(await mailNow(to)).toEqual([]);
});

test('a file that a mail needs outlives its upload', async () => {
  const [to, bytes] = [project.address(), newBytes()];
  const { id: path } = must(await upload(project, bytes), 201);
  const { id } = must(await send({ to, attachments: [{ path }], sendAt: new Date(Date.now() + 60_000) }), 202);
  must(await project.api.delete(`/files/${path}`), 200);
  expect((await send({ to, attachments: [{ path }] })).body.issues).toMatchObject([{ path: 'attachments[0].path' }]);
  must(await project.api.call('PATCH', `/sends/${id}`, { sendAt: new Date() }), 200);
  expect((await readByPostalMime((await mailTo(to))[0]!.raw)).files).toMatchObject([{ filename: 'invoice.pdf', sha256: sha256(bytes) }]);
});

test('who is erased leaves mails whose files nobody names or downloads', async () => {
  const [to, bytes] = [project.address(), newBytes()];
  const contactId = await newContact(project, to);
  must(await send({ contactId, ...attached(bytes) }), 200);
  const [{ id }] = must(await project.api.get(`/sends?contactId=${contactId}`), 200).sends;
  expect(await statusOfDownload(id)).toBe(200);
  must(await project.api.delete(`/contacts/${contactId}`), 200);
  expect([(await sendRecord(project, id)).attachments, await statusOfDownload(id)]).toEqual([[], 404]);
});

test('files of a mail that a test key asks for are kept and named, and nothing leaves', async () => {
  const { api: tester } = await project.newKey(['*'], true);
  const [to, bytes] = [project.address(), newBytes()];
  const { id } = must(await tester.post('/send', { template: 'receipt', to, ...attached(bytes) }), 200);
  expect(await sendRecord(project, encodeURIComponent(id))).toMatchObject({ sandboxed: true, attachments: [{ sha256: sha256(bytes) }] });
  expect(await mailNow(to)).toEqual([]);
});

test('a project that forbids programs refuses each name of one, also in a batch, and takes every other', async () => {
  const strict = await newProject();
  await enableTemplates(strict, 'receipt');
  expect(must(await strict.api.get('/me'), 200).project.executables).toBe(true);
  const ask = (filename: string) =>
    strict.api.post('/send', {
      template: 'receipt',
      to: strict.address(),
      attachments: [
        { filename: 'ok.pdf', content: '' },
        { filename, content: '' },
      ],
    });
  expect((await ask('setup.exe')).status).toBe(200);
  await em.nativeUpdate(Project, { id: strict.id }, { executables: false });
  expect(must(await strict.api.get('/me'), 200).project.executables).toBe(false);
  for (const name of [
    'setup.exe',
    'A.JS',
    'invoice.pdf.scr',
    'invoice.vbs.pdf',
    'a.exe ',
    'a.exe.',
    'a. exe',
    'ａ．ｅｘｅ',
    'a.e\u00adxe',
    'a.exe\u2060',
  ]) {
    const { status, body } = await ask(name);
    expect([name, status, body.issues?.[0].path]).toEqual([name, 422, 'attachments[1].filename']);
  }
  for (const name of ['exe', 'my.example.pdf', 'report.executive.docx', 'com', 'a.json'])
    expect([name, (await ask(name)).status]).toEqual([name, 200]);
  const mails = [{ template: 'receipt', to: strict.address(), attachments: [{ filename: 'a.bat', content: '' }] }];
  expect(must(await strict.api.post('/send/batch', { mails }), 200).results).toMatchObject([{ ok: false, code: 'invalid_request' }]);
});

test('the same call under its key is one mail; with another file it is another call', async () => {
  const to = project.address();
  const bytes = newBytes();
  const path = must(await upload(project, newBytes(), 'a.pdf'), 201).id;
  const call = { to, idempotencyKey: uuidv7(), attachments: [...attached(bytes).attachments, { path }] };
  const [first, second] = await Promise.all([send(call), send(call)]);
  expect([first.status, second.status].includes(200)).toBe(true);
  const { headers } = await send(call);
  expect(headers.get('idempotent-replayed')).toBe('true');
  expect(await mailNow(to)).toHaveLength(1);
  expect((await send({ ...call, ...attached(newBytes()) })).body.code).toBe('idempotency_key_reuse');
});

test('a mail for later is sent with its files', async () => {
  const to = project.address();
  const bytes = newBytes();
  const sendAt = new Date(Date.now() + 1_500).toISOString();
  const { id } = must(await send({ to, sendAt, ...attached(bytes), idempotencyKey: uuidv7() }), 202);
  expect((await sendRecord(project, id)).attachments).toMatchObject([{ filename: 'a.bin', size: bytes.length }]);
  const [message] = await mailTo(to);
  expect((await readByPostalMime(message!.raw)).files).toMatchObject([{ filename: 'a.bin', sha256: sha256(bytes) }]);
});
