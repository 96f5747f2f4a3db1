import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { keyedRoutes, nameOf, pathOf } from '../support/routes.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';

let proxy: TcpProxy;
let everpost: Everpost;
let project: TestProject;
beforeAll(async () => {
  proxy = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
  everpost = await startEverpost({ worker: false, databaseAddress: proxy.address });
  project = await newProject({ everpost });
});
afterAll(async () => {
  await everpost.stop();
  await proxy.close();
});

test('while the database is down every call says 503 and when to come back, health lives on, and all is well when it is back', async () => {
  expect((await project.api.get('/contacts')).status).toBe(200);
  await proxy.down();
  for (const route of keyedRoutes) {
    const { status, body, headers } = await project.api.call(route.method.toUpperCase(), pathOf(route), route.body ? {} : undefined);
    expect({ route: nameOf(route), status, code: body.code }).toEqual({ route: nameOf(route), status: 503, code: 'unavailable' });
    expect(headers.get('retry-after')).toBe('5');
  }
  const open = api(undefined, everpost.url);
  expect((await open.get('/health')).status).toBe(200);
  expect((await open.get('/openapi.json')).status).toBe(200);
  const ready = await open.get('/ready');
  expect([ready.status, ready.body]).toEqual([
    503,
    { ok: false, code: 'not_ready', error: expect.stringContaining('database'), checks: { database: 'down', temporal: 'ok' } },
  ]);
  await proxy.up();
  await eventually(async () => (await project.api.get('/contacts')).status === 200);
  // Not one for each call.
  const told = (): string[] => everpost.api.lastLines(1000).match(/(?<="event":")(?:database|request)\.\w+/g) ?? [];
  await eventually(() => told().includes('database.back'));
  expect(told()).toEqual(['database.unavailable', 'database.back']);
  expect((await open.get('/ready')).status).toBe(200);
});
