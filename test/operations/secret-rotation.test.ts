import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { type Admin, admin, adminProgram } from '../support/admin.ts';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import { TEST_SETTINGS } from '../support/everpost.ts';
import { spawnProgram, waitUntilReady } from '../support/everpost-process.ts';
import { postInbound, standardHeaders } from '../support/inbound.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { sendMail } from '../support/sent-mail.ts';

let databaseUrl: string;
let folder: string;
let url: string;
let api: GuardedProcess | undefined;
beforeAll(async () => {
  databaseUrl = await createMigrated(testEnvironment().databaseUrl);
  folder = await mkdtemp(join(testEnvironment().scratchDir, 'rotation-'));
  url = `http://127.0.0.1:${await freePort()}`;
});
afterAll(() => api?.stop());

/** Starts the API with these keys in place of the one that runs. */
async function serveWith(keys: Readonly<Record<string, string>>): Promise<void> {
  const { temporalAddress, smtpUrl } = testEnvironment();
  await api?.stop();
  const stores = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, EMAIL_PROVIDER_URL: smtpUrl };
  api = spawnProgram('api', folder, { ...TEST_SETTINGS, ...stores, PORT: new URL(url).port, ...keys });
  await waitUntilReady(url, [api]);
}

async function reseal(keys: Readonly<Record<string, string>>, run: Admin = admin): Promise<unknown> {
  return JSON.parse((await run(['secrets', 'reseal', '--json'], { ...keys, DATABASE_URL: databaseUrl })).stdout);
}

test('SECRET_KEY is changed without losing a secret or a link, and after resealing the old one is needed for links alone', async () => {
  const first = testEnvironment().secretKey;
  const second = randomBytes(32).toString('base64');
  const both = { SECRET_KEY: second, SECRET_KEY_PREVIOUS: first };
  await serveWith({ SECRET_KEY: first });
  const project: TestProject = await newProject({ everpost: { url, databaseUrl } });
  const blocks = [{ type: 'button', label: 'Look', url: 'https://shop.example/look' }];
  const before = await sendMail(project, { blocks });
  const trackedLink = (links: readonly string[]) => url + new URL(links.find((link) => link.includes('/t/c/'))!).pathname;
  const clickOn = async (links: readonly string[]) => (await fetch(trackedLink(links), { redirect: 'manual' })).status;
  const unsubscribePage = async (link: string | undefined) => {
    const { pathname, search } = new URL(link!);
    return (await fetch(url + pathname + search)).status;
  };
  const body = JSON.stringify({ type: 'email.delivered', created_at: '2024-11-22T23:41:12.126Z', data: { email_id: 'x' } });
  const inbound = async () => {
    const headers = standardHeaders(body, { secret: project.inboundSecret, prefix: 'svix' });
    return (await postInbound(project, 'resend', body, headers, url)).status;
  };

  await serveWith(both);
  const after = await sendMail(project, { blocks });
  expect([await clickOn(before.links), await clickOn(after.links)]).toEqual([302, 302]);
  expect([await unsubscribePage(before.unsubscribe), await unsubscribePage(after.unsubscribe)]).toEqual([200, 200]);
  expect(await inbound()).toBe(200);

  expect(await reseal(both, adminProgram)).toEqual({ resealed: 3, kept: 0, unreadable: [] });
  expect(await reseal(both)).toEqual({ resealed: 0, kept: 3, unreadable: [] });
  const { stdout } = await admin(['secrets', 'reseal'], { ...both, DATABASE_URL: databaseUrl });
  expect(stdout).toBe('resealed    0\nkept        3\nunreadable  none\n');
  await serveWith({ SECRET_KEY: second });
  expect([await unsubscribePage(before.unsubscribe), await unsubscribePage(after.unsubscribe), await inbound()]).toEqual([200, 200, 200]);
  expect([await clickOn(before.links), await clickOn(after.links)]).toEqual([400, 302]);
});

test('secrets that no key opens are named and left as they are', async () => {
  const unknown = { SECRET_KEY: randomBytes(32).toString('base64') };
  const answer = (await reseal(unknown)) as { unreadable: string[] };
  expect(answer).toMatchObject({ resealed: 0, kept: 0 });
  expect(answer.unreadable.map((what) => what.replace(/^project\/[^/]+\//, '')).sort()).toEqual([
    'inbound_secret',
    'link_secret',
    'webhook_secret',
  ]);
  const [{ slug }] = JSON.parse((await admin(['project', 'list', '--json'], { ...unknown, DATABASE_URL: databaseUrl })).stdout);
  const { code, stderr } = await admin(['project', 'secrets', slug], { ...unknown, DATABASE_URL: databaseUrl });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^everpost: the secrets in the database were sealed with another key than that of SECRET_KEY, .*\n$/),
  ]);
});
