import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { consoleTabs } from '../support/console.ts';
import { choose, row, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact, newSequence, type TestSequence } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let sequence: TestSequence;
let capped: { readonly email: string; readonly id: string };
let other: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome');
  sequence = await newSequence(project);
  const email = project.address('capped');
  capped = { email, id: await newContact(project, email) };
  other = project.address('waiting');
  await newContact(project, other);
  const run = await sequence.enroll(email);
  await sequence.enroll(other);
  const em = await database();
  // Once its worker has it stand at its wait, nothing writes its row any more.
  await eventually(async () => (await rows(em, sql`select 1 from enrollments where id = ${run} and waiting_for is not null`)).length > 0);
  // As a run stands whose email would be one too many.
  const [waitingFor, ahead] = ['held:frequency_cap', '71 hours 59 minutes'];
  await rows(em, sql`update enrollments set waiting_for = ${waitingFor}, wakes_at = now() + ${ahead}::interval where id = ${run}`);
});

test('the page of a contact whose run is held says why, and when it is tried again', async () => {
  const { timeline } = must(await project.api.get(`/contacts/${capped.id}/timeline?kind=sequence_entered`), 200);
  expect(timeline).toMatchObject([{ details: { waiting_for: 'held:frequency_cap', wakes_at: expect.any(String) } }]);
  const { page } = await tabs.open(`/contacts/${capped.id}`, { key: project.key });
  const entered = page.getByRole('listitem').filter({ hasText: 'Entered sequence' });
  await entered.getByText(/^Still in it · On hold: frequency cap\. Tries again in 3 days/).waitFor();
});

test('Home leads from runs on hold to these runs alone, which are a filter of the list', async () => {
  const listed = async (held: string) =>
    must(await project.api.get(`/sequences/${sequence.key}/enrollments?held=${held}`), 200).enrollments.map(
      (run: { contact_email: string }) => run.contact_email,
    );
  expect([await listed('some'), await listed('frequency_cap'), await listed('paused')]).toEqual([[capped.email], [capped.email], []]);
  expect((await project.api.get(`/sequences/${sequence.key}/enrollments?held=never`)).status).toBe(422);
  const { page } = await tabs.open('/home', { key: project.key });
  await page.getByRole('link', { name: /^1 run waits: / }).click();
  await title(page, /^Sequence/).waitFor();
  await row(page, capped.email).getByText('On hold: frequency cap').waitFor();
  expect(await row(page, other).count()).toBe(0);
  expect(await page.getByRole('combobox', { name: 'On hold' }).inputValue()).toBe('Frequency cap');
  await page.getByRole('button', { name: 'Clear' }).click();
  await row(page, other).waitFor();
  await choose(page, 'On hold', 'Any reason');
  await row(page, other).waitFor({ state: 'hidden' });
  await row(page, capped.email).waitFor();
});
