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
let held: string;

/** Of the version of the sequence from now on. */
async function setCap(frequencyCap: object): Promise<void> {
  const graph = must(await project.api.get(`/sequences/${sequence.key}`), 200);
  must(await project.api.put(`/sequences/${sequence.key}`, { ...graph, frequencyCap }), 200);
}

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome');
  sequence = await newSequence(project);
  await setCap({ count: 3, windowHours: 168 });
  const email = project.address('capped');
  capped = { email, id: await newContact(project, email) };
  other = project.address('waiting');
  await newContact(project, other);
  held = await sequence.enroll(email);
  await sequence.enroll(other);
  const em = await database();
  // Once its worker has it stand at its wait, nothing writes its row any more.
  await eventually(async () => (await rows(em, sql`select 1 from enrollments where id = ${held} and waiting_for is not null`)).length > 0);
  await holdFor('72 hours');
});

/** As a run stands whose email would be one too many: until the end of its patience, or until a place is free before. */
async function holdFor(ahead: string): Promise<void> {
  const waitingFor = 'held:frequency_cap';
  await rows(
    await database(),
    sql`update enrollments set waiting_for = ${waitingFor}, wakes_at = now() + ${ahead}::interval where id = ${held}`,
  );
}

test('whose run is held by the frequency cap reads why on the pages of the contact and of the run: the limit, when it is tried again, and what then', async () => {
  const { timeline } = must(await project.api.get(`/contacts/${capped.id}/timeline?kind=sequence_entered`), 200);
  expect(timeline).toMatchObject([{ details: { waiting_for: 'held:frequency_cap', wakes_at: expect.any(String) } }]);
  // The run stays by its version.
  await setCap({ count: 5, windowHours: 24 });
  const { page, open } = await tabs.open(`/contacts/${capped.id}`, { key: project.key });
  const entered = page.getByRole('listitem').filter({ hasText: 'Entered sequence' });
  const hold = 'On hold: frequency cap of 3 marketing emails in 1 week\\. Tries again';
  const why = new RegExp(`${hold} in 3 days.*, and is skipped then, as things stand: the cap allows no other email before$`);
  await entered
    .getByText(/^Still in it · /)
    .and(entered.getByText(why))
    .waitFor();
  await open(`/sequences/${sequence.key}/runs/${held}`);
  await page.getByText(/^On hold: frequency cap of 3 marketing emails in 1 week, next step in 3 days/).waitFor();
  await page.getByRole('listitem').getByText(why).waitFor();
  await holdFor('5 hours');
  await open(`/sequences/${sequence.key}/runs/${held}`);
  await page
    .getByRole('listitem')
    .getByText(new RegExp(`${hold} in 5 h.*, when the cap allows another email$`))
    .waitFor();
  await holdFor('72 hours');
});

test('Home leads from runs on hold to these runs alone, which are a filter of the list', async () => {
  const listed = async (held: string) =>
    must(await project.api.get(`/sequences/${sequence.key}/enrollments?held=${held}`), 200).enrollments.map(
      (run: { contact_email: string }) => run.contact_email,
    );
  expect([await listed('some'), await listed('frequency_cap'), await listed('paused')]).toEqual([[capped.email], [capped.email], []]);
  expect((await project.api.get(`/sequences/${sequence.key}/enrollments?held=never`)).status).toBe(422);
  const { page } = await tabs.open('/home', { key: project.key });
  await page
    .getByRole('link', { name: /^1 run waits: .* it goes on by itself, and an email that has waited for 72 hours is skipped$/ })
    .click();
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
