import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { row } from '../../db/rows.ts';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { plainEnvironment, testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { upload } from '../support/files.ts';
import { database, newProject, type TestProject } from '../support/project.ts';

/** Of MinIO: `go install github.com/minio/minio@latest`. Without it nothing is tried here; the daily tests have a server of their own. */
const BINARY = process.env.MINIO_PATH;
const MB = 1024 * 1024;
const [USER, PASSWORD] = ['everpost-test', 'with/odd+signs='];

describe.skipIf(!BINARY)('a real server of objects', () => {
  let folder: string;
  let server: GuardedProcess;
  let everpost: Everpost;
  let project: TestProject;

  beforeAll(async () => {
    folder = await mkdtemp(join(testEnvironment().scratchDir, 'minio-'));
    await mkdir(join(folder, 'data', 'mails'), { recursive: true });
    const address = `127.0.0.1:${await freePort()}`;
    server = startGuarded({
      name: 'minio',
      command: BINARY!,
      args: ['server', join(folder, 'data'), '--address', address, '--console-address', `127.0.0.1:${await freePort()}`],
      env: { ...plainEnvironment(), HOME: folder, MINIO_ROOT_USER: USER, MINIO_ROOT_PASSWORD: PASSWORD },
      logFile: join(folder, 'minio.log'),
      pidFile: join(folder, 'minio.pid'),
      stopSignal: 'TERM',
      hardSignal: 'KILL',
      graceSeconds: 10,
    });
    await eventually(() =>
      fetch(`http://${address}/minio/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    everpost = await startEverpost({
      env: { FILES_URL: `s3://mails/of.tests?endpoint=http://${address}`, AWS_ACCESS_KEY_ID: USER, AWS_SECRET_ACCESS_KEY: PASSWORD },
    });
    project = await newProject({ everpost });
  });

  afterAll(async () => {
    await everpost?.stop();
    await server?.stop();
  });

  const objects = (): Promise<string[]> => readdir(join(folder, 'data', 'mails', 'of.tests', project.id)).catch(() => []);

  test.each([0, 1, 65_537, 5 * MB, 25 * MB])('%i bytes go in and come out', async (size) => {
    const bytes = randomBytes(size);
    const { status, body } = await upload(project, bytes);
    expect({ status, sha256: body.sha256 }).toEqual({ status: 201, sha256: createHash('sha256').update(bytes).digest('hex') });
    const answer = await fetch(`${everpost.url}/api/v1/files/${body.id}/content`, { headers: { authorization: `Bearer ${project.key}` } });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('what is deleted and needed no more is gone from the bucket', async () => {
    expect(await objects()).toHaveLength(5);
    for (const { id } of (await project.api.get('/files')).body.files) await project.api.delete(`/files/${id}`);
    await row(await database(everpost.databaseUrl), sql`update file_contents set kept_until = now(), look_at = now()`);
    // A worker sweeps when it starts.
    everpost.addWorker();
    await eventually(async () => (await objects()).length === 0);
  });
});
