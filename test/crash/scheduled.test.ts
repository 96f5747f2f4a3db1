import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { expectEachOnce } from '../support/each-once.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailCount, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const MAILS = 250;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
});
afterAll(() => everpost?.stop());

test(`killing everything while ${MAILS} mails that are due together go loses none and sends none twice`, async () => {
  const domain = `@to.${project.domain}`;
  await scriptMail(domain, { delayMs: 30 });
  const people = Array.from({ length: MAILS }, (_, n) => project.address(`person${n}`));
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  let last = '';
  await inParallel(10, people, async (to) => {
    last = must(await project.api.post('/send', { template: 'receipt', to, sendAt }), 202).id;
  });
  await rows(em, sql`update scheduled_sends set due_at = now(), available_at = now() where project_id = ${project.id}`);
  must(await project.api.call('PATCH', `/sends/${last}`, { sendAt: new Date(Date.now() - 60_000).toISOString() }), 200);
  await eventually(async () => (await mailCount(domain)) >= MAILS / 3, { everyMs: 10, timeoutMs: 60_000 });
  await everpost.kill();
  expect(await mailCount(domain)).toBeLessThan(MAILS);
  await everpost.start();
  const open = sql`select 1 from scheduled_sends union all select 1 from sends where status is null`;
  await eventually(async () => (await rows(em, open)).length === 0, { timeoutMs: 170_000, everyMs: 250 });
  await expectEachOnce(em, domain, people);
}, 300_000);
