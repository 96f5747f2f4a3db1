import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiHere, startApiHere } from '../../support/api-here.ts';
import { fileForm, upload } from '../../support/files.ts';
import { importForm } from '../../support/imports.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { must } from '../../support/sequences.ts';

let s3: S3Server;
let everpost: ApiHere;
let project: TestProject;

beforeAll(async () => {
  s3 = await startS3Server();
  everpost = await startApiHere({ FILES_URL: s3.filesUrl.href });
  project = await newProject({ everpost });
});

afterAll(async () => {
  await everpost?.stop();
  await s3?.stop();
});

async function download(id: string): Promise<Buffer> {
  const answer = await fetch(`${everpost.url}/api/v1/files/${id}/content`, { headers: { authorization: `Bearer ${project.key}` } });
  return Buffer.from(await answer.arrayBuffer());
}

test('with FILES_URL files are in the bucket, under keys of ids alone', async () => {
  const bytes = randomBytes(300_000);
  const { id } = (await upload(project, bytes, 'secret plans.pdf')).body;
  expect([...s3.objects.keys()]).toEqual([expect.stringMatching(new RegExp(`^/bucket/pre/fix/${project.id}/[0-9a-f-]{36}$`))]);
  expect((await download(id)).equals(bytes)).toBe(true);
});

test('while the store is away uploads are 503 and may be repeated, and all else goes on', async () => {
  const form = () => fileForm(randomBytes(1000));
  const options = { headers: { 'idempotency-key': 'invoice' } };
  const repeated = form();
  s3.fail('PUT', 'cut', { status: 503, code: 'SlowDown' }, { status: 500, code: 'InternalError' });
  const refused = await project.api.call('POST', '/files', repeated, options);
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable', error: 'the file store cannot be reached; try again' } });
  expect(refused.headers.get('retry-after')).toBe('10');
  expect((await project.api.get('/files')).body.files.map(({ filename }: { filename: string }) => filename)).toEqual(['secret plans.pdf']);
  expect((await project.api.call('POST', '/files', repeated, options)).status).toBe(201);
});

test('a download that breaks off at the store ends with its connection', async () => {
  const { id } = (await upload(project, randomBytes(300_000))).body;
  s3.fail('GET', 'cut');
  await expect(download(id)).rejects.toThrow('terminated');
  expect(await download(id)).toHaveLength(300_000);
});

test('an import whose file the store does not take is 503, and takes the place of no other one', async () => {
  for (let nth = 0; nth < 6; nth++) {
    s3.fail('PUT', { status: 500, code: 'InternalError' }, { status: 500, code: 'InternalError' }, { status: 500, code: 'InternalError' });
    expect((await project.api.call('POST', '/imports', importForm('email\na@example.com'))).status).toBe(503);
  }
  const { id } = must(await project.api.call('POST', '/imports', importForm('email\na@example.com', { paused: true })), 201).import;
  expect(s3.objects.has(`/bucket/pre/fix/imports/${id}`)).toBe(true);
});
