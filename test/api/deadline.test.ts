import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../api/app.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { api } from '../support/api.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { newSending, shippedTemplates, type TestSending } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

/** The API with a short limit, in this process. */
const LIMIT_SECONDS = 3;

let em: EntityManager;
let project: TestProject;
let sending: TestSending;
let server: Server;
let port: number;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
  sending = await newSending();
  const app = createApp({
    orm: sending.orm,
    log: createLogger('silent', {}),
    metrics: createMetrics(),
    rateLimit: undefined,
    trustedProxies: undefined,
    requestSeconds: LIMIT_SECONDS,
    services: {
      vault: createVault(Buffer.from(testEnvironment().secretKey, 'base64')),
      registry: await shippedTemplates(),
      sending: sending.sending,
      authoring: sending.authoring,
      contents: undefined as never,
      files: undefined as never,
      filesKeptMs: 0,
      hits: undefined as never,
      publicUrl: testEnvironment().apiUrl,
      temporalWebUrl: undefined,
      mailboxUrl: undefined,
      readRecords: undefined as never,
      spfInclude: undefined,
      trackingHost: undefined,
      returnPathHost: undefined,
      now: () => new Date(),
      newId: () => uuidv7(),
      sns: undefined as never,
      softBounceLimit: 1,
      checkWebhookUrl: () => undefined,
      pingWebhook: async () => undefined,
      probes: undefined as never,
    },
  });
  server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await sending.close();
});

/** Sends a request in two parts, the second only after the answer to the first; gives what was answered. */
async function inTwoParts(path: string, body: object): Promise<string> {
  const text = JSON.stringify(body);
  const head = `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => {});
  socket.on('data', (data) => {
    answer += data.toString();
    socket.write(text.slice(10));
  });
  socket.write(head + text.slice(0, 10));
  await ended;
  return answer;
}

test('a body that comes after the time-out was answered sends no mail and writes nothing, and the connection ends', async () => {
  const to = project.address();
  const answer = await inTwoParts('/send', { template: 'receipt', to });
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/connection: close/i);
  expect(answer).toContain('"code":"unavailable"');
  expect(sending.submitted).toEqual([]);
  expect(await rows(em, sql`select 1 from sends where to_email = ${to}`)).toEqual([]);
});

test('a send whose intent comes through only after the time-out was answered is not submitted, and its key is free', async () => {
  const to = project.address();
  const call = api(project.key, `http://127.0.0.1:${port}`);
  const answered = await em.transactional(async (tx) => {
    // The statement that writes the intent waits for this row.
    await row(
      tx,
      sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, idempotency_key)
      values (${uuidv7()}, ${project.id}, ${project.slug}, 'held@example.com', 'receipt', 'transactional', 'api', ${to})`,
    );
    const replying = call.post('/send', { template: 'receipt', to, idempotencyKey: to });
    await untilBlocked(tx);
    const reply = await replying;
    await row(tx, sql`delete from sends where to_email = 'held@example.com'`);
    return reply;
  });
  expect(answered).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  const [send] = await eventually(async () => {
    const found = await rows(em, sql<{ status: string | null; error: string }>`select status, error from sends where to_email = ${to}`);
    return found[0]?.status && found;
  });
  expect(send).toMatchObject({ status: 'failed', error: expect.stringMatching(/^provider_unavailable: not submitted/) });
  expect(sending.submitted).toEqual([]);
  expect(await project.api.post('/send', { template: 'receipt', to, idempotencyKey: to })).toMatchObject({ status: 200 });
});

test('a transaction that is done only after the time-out was answered is rolled back', async () => {
  const email = project.address();
  await project.api.post('/contacts', { email, firstName: 'Before' });
  const call = api(project.key, `http://127.0.0.1:${port}`);
  const answered = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where email = ${email} for update`);
    return call.post('/contacts', { email, firstName: 'After' });
  });
  expect(answered).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  await eventually(async () => {
    const busy = await rows(em, sql`select 1 from pg_stat_activity where application_name = 'everpost-test-sending' and state <> 'idle'`);
    return busy.length === 0;
  });
  const { contacts } = (await project.api.get(`/contacts?q=${encodeURIComponent(email)}`)).body;
  expect(contacts).toMatchObject([{ first_name: 'Before' }]);
});
