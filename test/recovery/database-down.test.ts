import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { keyedRoutes, nameOf, pathOf } from '../support/routes.ts';
import { sendMail } from '../support/sent-mail.ts';
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

test('while the database is away a link leads on and a pixel is shown, and neither is a way elsewhere', async () => {
  const mail = await sendMail(project, { blocks: [{ type: 'button', label: 'Look', url: 'https://shop.example/look' }] });
  const link = new URL(mail.links.find((href) => href.includes('/t/c/'))!).pathname;
  await rows(await database(everpost.databaseUrl), sql`update sends set closed_at = closed_at - interval '1 minute'`);
  const get = (path: string) => fetch(everpost.url + path, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (iPhone)' } });
  await proxy.down();
  const [click, open, forged] = [await get(link), await get(new URL(mail.pixel!).pathname), await get(`${link}x`)];
  expect([click.status, click.headers.get('location')]).toEqual([302, 'https://shop.example/look']);
  expect([open.status, forged.status]).toEqual([200, 400]);
  await proxy.up();
  const counted = await eventually(async () => {
    await get(link);
    const { body } = await project.api.get('/sends');
    return body.sends?.[0]?.click_count > 0 && body.sends[0];
  });
  expect(counted.open_count).toBe(0);
});
