import { mkdtemp, readdir, readFile, readlink } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, freePort, hiddenEndpoint } from '../../local/ports.ts';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { startTemporalWeb, type TemporalWeb } from '../../local/temporal-web.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { notedPid } from '../support/noted-pid.ts';

const NAMESPACES = '/api/v1/namespaces';
const TERMINATE = `${NAMESPACES}/default/workflows/none/terminate`;

let temporal: RunningTemporal;
let web: TemporalWeb;
let port: number;
/** Of the server, not of its guard. */
let pid: number;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'web-'));
  const ui = await hiddenEndpoint();
  port = await freePort();
  web = await startTemporalWeb({ port, target: ui, answerWithinMs: 3_000 });
  const binary = testEnvironment().temporalBinary;
  temporal = await startTemporal({ binary, dataDir, ui, progress: () => {}, inMemory: true });
  pid = await notedPid(join(dataDir, 'temporal.pid'));
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

/** Where the server listens; from Linux's tables. */
async function listeningAt(): Promise<Endpoint[]> {
  const files = await readdir(`/proc/${pid}/fd`);
  const open = new Set(await Promise.all(files.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))));
  const sockets = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').slice(1);
  return sockets.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== LISTENS || !open.has(`socket:[${inode}]`)) return [];
    const [address = '', hexPort = ''] = local.split(':');
    return [{ host: [...Buffer.from(address, 'hex')].toReversed().join('.'), port: Number.parseInt(hexPort, 16) }];
  });
}

const LISTENS = '0A';

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

test('no port of the server that a page on the internet could find answers under its name', async () => {
  const all = await listeningAt();
  // The API over gRPC and over HTTP, the page, and what its parts tell each other.
  expect(all.length).toBeGreaterThan(3);
  const findable = all.filter(({ host }) => host === '127.0.0.1');
  expect(findable.length).toBe(all.length - 1);
  const headers = { host: 'site.example' };
  const answers = await Promise.all(findable.map((at) => ask(NAMESPACES, { ...at, headers }).catch(() => undefined)));
  expect(answers.filter((answer) => answer !== undefined).map(({ status }) => status)).toEqual(expect.arrayContaining([403]));
  expect(answers.filter((answer) => answer?.body.includes('default'))).toEqual([]);
});

test('says so while the server does not answer, and while it is away', async () => {
  process.kill(pid, 'SIGSTOP');
  // Its threads stop one after the other: one of them may answer once more.
  const silent = await eventually(async () => {
    const answer = await ask('/', {});
    return answer.status !== 200 && answer;
  });
  expect(silent).toMatchObject({ status: 504, body: 'the Temporal server does not answer\n' });
  process.kill(pid, 'SIGCONT');
  await temporal.process.kill();
  expect(await ask('/', {})).toMatchObject({ status: 502, body: 'the Temporal server is away just now\n' });
});
