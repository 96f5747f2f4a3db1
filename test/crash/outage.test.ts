import { afterAll, beforeAll, expect, test } from 'vitest';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';

let temporal: TcpProxy;
let postgres: TcpProxy;
let everpost: Everpost;
let project: TestProject;

beforeAll(async () => {
  const { temporalAddress, databaseUrl } = testEnvironment();
  [temporal, postgres] = [await tcpProxy(temporalAddress), await tcpProxy(new URL(databaseUrl).host)];
  everpost = await startEverpost({ temporalAddress: temporal.address, databaseAddress: postgres.address });
  project = await newProject({ everpost });
  await enableTemplates(project, 'welcome');
});

afterAll(async () => {
  await everpost?.stop();
  await Promise.all([temporal?.close(), postgres?.close()]);
});

test('while Temporal is down POST /events is accepted, and the enrollments run when it is back', async () => {
  const sequence = { key: 'hello', name: 'Hello', status: 'active', trigger: 'joined', steps: [{ template: 'welcome' }] };
  expect((await project.api.post('/sequences', sequence)).status).toBe(201);
  const email = project.address();
  await temporal.down();
  await eventually(async () => (await project.api.get('/ready')).status === 503);
  const accepted = await project.api.post('/events', { type: 'joined', email });
  expect(accepted).toMatchObject({ status: 200, body: { enrolled: 1 } });
  await temporal.up();
  expect(await mailTo(email, undefined, { timeoutMs: 40_000 })).toHaveLength(1);
});

test('while PostgreSQL is down every call gives 503 with Retry-After, and works again afterwards', async () => {
  await postgres.down();
  const refused = await project.api.get('/contacts');
  expect(refused).toMatchObject({ status: 503, body: { ok: false, code: 'unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('5');
  await postgres.up();
  await eventually(async () => (await project.api.get('/contacts')).status === 200);
});
