import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Logger } from '../../platform/logger.ts';
import { api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startInboundApi } from '../support/inbound-api.ts';
import { newProject, type TestProject } from '../support/project.ts';

type Line = Readonly<Record<string, unknown>>;

let lines: Line[] = [];
const at =
  (level: string) =>
  (event: string, fields: object = {}) =>
    void lines.push({ level, event, ...fields });
const log: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), writes: () => true, child: () => log };

let project: TestProject;
let served: { url: string; stop(): Promise<void> };

beforeAll(async () => {
  project = await newProject();
  served = await startInboundApi({ log });
});
afterAll(() => served.stop());
beforeEach(() => {
  lines = [];
});

const answered = (): Promise<Line> => eventually(async () => lines.find(({ event }) => event === 'request.answered'));

test('a caller that goes away with its body half sent is no fault of the database', async () => {
  const { port } = new URL(served.url);
  const socket = connect(Number(port), '127.0.0.1');
  const head = `POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.key}\r\nExpect: 100-continue\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email":`);
  // The body is being read once this comes.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  expect(await answered()).toMatchObject({ route: '/api/v1/contacts', status: 400 });
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('the line of a 500 names the route and not the path, which may hold an address', async () => {
  const secret = 'person@example.com';
  // This API has no registry.
  const { status, body } = await api(project.key, served.url).get(`/templates/${secret}/schema`);
  expect([status, body.code]).toEqual([500, 'internal']);
  const failed = lines.find(({ event }) => event === 'request.failed');
  expect(failed).toMatchObject({ level: 'error', method: 'GET', route: '/api/v1/templates/:key/schema', error: expect.any(Error) });
  await answered();
  expect(JSON.stringify(lines)).not.toContain(secret);
});
