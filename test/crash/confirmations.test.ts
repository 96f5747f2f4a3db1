import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailCount, mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const PEOPLE = 200;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'confirm-subscription');
  must(await project.api.put(`/brands/${project.slug}`, { doubleOptIn: true }), 200);
});
afterAll(() => everpost?.stop());

test(`killing everything while ${PEOPLE} who signed up are asked asks each of them, and none twice`, async () => {
  const domain = `@to.${project.domain}`;
  await scriptMail(domain, { delayMs: 30 });
  const people = Array.from({ length: PEOPLE }, (_, n) => project.address(`person${n}`));
  const list = people.map((email) => ({ email }));
  must(await project.api.post('/contacts', list), 200);
  await eventually(async () => (await mailCount(domain)) >= PEOPLE / 4, { everyMs: 10, timeoutMs: 60_000 });
  await everpost.kill();
  expect(await mailCount(domain)).toBeLessThan(PEOPLE);
  await everpost.start();
  const unasked = sql`select 1 from confirmations where mails = 0`;
  await eventually(async () => (await rows(em, unasked)).length === 0, { timeoutMs: 170_000, everyMs: 250 });

  const sends = await rows(em, sql<{ to_email: string; status: string; error: string | null }>`select to_email, status, error from sends`);
  expect(sends.map(({ to_email }) => to_email).toSorted()).toEqual(people.toSorted());
  const arrived = (await mailNow(domain)).map(({ to }) => to[0]);
  expect(new Set(arrived).size).toBe(arrived.length);
  // Who got none was in flight at the kill, and is told of.
  const unsure = sends.filter(({ status }) => status === 'failed');
  expect(unsure.every(({ error }) => error?.startsWith('outcome_unknown'))).toBe(true);
  for (const { to_email, status } of sends) if (status === 'sent') expect(arrived).toContain(to_email);
}, 300_000);
