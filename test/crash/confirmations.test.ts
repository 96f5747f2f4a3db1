import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { askingProject } from '../support/confirmations.ts';
import { expectEachOnce } from '../support/each-once.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailCount, scriptMail } from '../support/mail.ts';
import { database, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const PEOPLE = 200;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  ({ project } = await askingProject(undefined, { everpost }));
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
  const open = sql`select 1 from confirmations where mails = 0 union all select 1 from sends where status is null`;
  await eventually(async () => (await rows(em, open)).length === 0, { timeoutMs: 170_000, everyMs: 250 });
  await expectEachOnce(em, domain, people);
}, 300_000);
