import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type Everpost, startEverpost } from '../../support/everpost.ts';
import { database, newProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';

let proxy: TcpProxy;
let everpost: Everpost;
beforeAll(async () => {
  proxy = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
  everpost = await startEverpost({ databaseAddress: proxy.address, worker: false });
});
afterAll(async () => {
  await everpost?.stop();
  await proxy?.close();
});

test('while the database is away a link leads on and a pixel is shown, and neither is a way elsewhere', async () => {
  const project = await newProject({ everpost });
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
