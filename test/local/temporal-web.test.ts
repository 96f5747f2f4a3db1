import { mkdtemp } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../local/ports.ts';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { startTemporalWeb, type TemporalWeb } from '../../local/temporal-web.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const NAMESPACES = '/api/v1/namespaces';
const TERMINATE = `${NAMESPACES}/default/workflows/none/terminate`;

let temporal: RunningTemporal;
let web: TemporalWeb;
let port: number;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'web-'));
  const uiPort = await freePort();
  port = await freePort();
  web = await startTemporalWeb({ port, target: uiPort });
  const binary = testEnvironment().temporalBinary;
  temporal = await startTemporal({ binary, dataDir, uiPort, progress: () => {}, inMemory: true });
  await eventually(async () => (await ask(NAMESPACES, {})).status === 200);
});

afterAll(async () => {
  await web?.close();
  await temporal?.process.stop();
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

function ask(path: string, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, ...options }, async (response) => {
      resolve({ status: response.statusCode, body: await text(response), headers: response.headers });
    });
    call.once('error', reject);
    call.end();
  });
}

test('answers its own page and programs on this machine', async () => {
  expect(await ask(NAMESPACES, {})).toMatchObject({ status: 200, body: expect.stringContaining('"default"') });
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    const headers = { host, origin: `http://${host}` };
    expect(await ask('/', { headers })).toMatchObject({ status: 200, body: expect.stringContaining('<html') });
    expect(await ask(NAMESPACES, { headers })).toMatchObject({ status: 200, body: expect.stringContaining('"default"') });
    // The server's own answer: there is no such workflow, or the page's token lacks.
    expect((await ask(TERMINATE, { method: 'POST', headers })).status).not.toBe(403);
  }
});

test.each([
  ['another site', { origin: 'https://site.example' }],
  ['another program of this machine with a page', { origin: 'http://localhost:5173' }],
  ['a page without an origin', { origin: 'null' }],
  ['a site whose name leads to this machine', { host: 'site.example' }],
  ['a site whose name leads to this machine and says so', { host: 'site.example', origin: 'http://site.example' }],
])('answers nothing to %s', async (_, headers) => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', NAMESPACES],
    ['POST', TERMINATE],
    ['OPTIONS', TERMINATE],
  ] as const) {
    const answer = await ask(path, { method, headers });
    expect(answer).toMatchObject({ status: 403, body: 'Temporal Web answers its own page only\n' });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test('says so while the server is away', async () => {
  await temporal.process.kill();
  expect(await ask('/', {})).toMatchObject({ status: 502, body: 'the Temporal server is away just now\n' });
});
