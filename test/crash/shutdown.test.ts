import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newSequence } from '../support/sequences.ts';

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

const REQUESTS = 30;
const RUNS = 60;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt', 'welcome');
});

afterAll(async () => {
  await everpost?.stop();
});

async function countSends(condition: 'status is null' | `status = '${string}'`): Promise<number> {
  const found = await row(
    em,
    sql<{ count: number }>`select count(*) as count from sends where project_id = ${project.id} and ${sql.raw(condition)}`,
  );
  return found!.count;
}

/** How many mails each address of the project has had. */
async function mailsByAddress(name: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { to } of await mailNow(`@to.${project.domain}`)) {
    for (const address of to) if (address.startsWith(name)) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return counts;
}

/** Whether the API takes no new connection. */
const isRefused = (): Promise<boolean> =>
  fetch(`${everpost.url}/api/v1/health`, { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  );

test('SIGTERM lets open requests end with their answers, and each mail is sent once', async () => {
  await scriptMail(`@to.${project.domain}`, { hold: true });
  const emails = Array.from({ length: REQUESTS }, (_, n) => project.address(`request${n}-`));
  const answers = emails.map((to) => project.api.post('/send', { template: 'receipt', to }));
  await eventually(async () => (await countSends('status is null')) === REQUESTS, { everyMs: 10 });
  const stopped = everpost.api.stop();
  await eventually(isRefused, { everyMs: 10 });
  await scriptMail(`@to.${project.domain}`, { delayMs: 400 });
  await stopped;
  expect(await everpost.api.ended).toBe(0);
  for (const { status, body } of await Promise.all(answers)) expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
  expect(await countSends("status = 'sent'")).toBe(REQUESTS);
  expect(await mailsByAddress('request')).toEqual(new Map(emails.map((email) => [email, 1])));
  await expect(project.api.get('/sends')).rejects.toThrow();
  await everpost.worker?.stop();
  await everpost.start();
});

test('SIGTERM lets the worker finish the sends in flight; started again it does the rest, nothing twice', async () => {
  // Slow enough that mails are in flight whenever one looks, and that not all are sent by the time the worker is told to stop.
  await scriptMail(`@to.${project.domain}`, { delayMs: 1_500 });
  const sequence = await newSequence(project, { steps: [{ template: 'receipt' }, { template: 'welcome' }] });
  const emails = Array.from({ length: RUNS }, (_, n) => project.address(`run${n}-`));
  await Promise.all(emails.map((email) => project.api.post('/contacts', { email })));
  const before = await countSends("status = 'sent'");
  must(await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails }), 200);
  await eventually(async () => (await countSends("status = 'sent'")) > before && (await countSends('status is null')) > 0, { everyMs: 10 });
  await everpost.worker?.stop();
  expect(await everpost.worker?.ended).toBe(0);
  expect(await countSends('status is null')).toBe(0);
  expect(await countSends("status = 'sent'")).toBeLessThan(before + RUNS * 2);
  await everpost.api.stop();
  await everpost.start();
  // A task that the server gave to the stopped worker at its last moment is given out again after the send's 30 s.
  await eventually(async () => (await countSends("status = 'sent'")) === before + RUNS * 2, { timeoutMs: 90_000 });
  expect(await mailsByAddress('run')).toEqual(new Map(emails.map((email) => [email, 2])));
  expect(await countSends("status = 'failed'")).toBe(0);
});
