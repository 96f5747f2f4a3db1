import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, newContact, newSequence, traceOf } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

/** A marketing and a transactional mail, one after the other. */
const BOTH = [
  { template: 'welcome', subject: 'marketing' },
  { template: 'receipt', subject: 'transactional' },
];

async function sendsTo(email: string): Promise<{ template: string; status: string; error: string | null }[]> {
  const { body } = await project.api.get(`/sends?q=${encodeURIComponent(email)}`);
  return body.sends.toReversed();
}

async function subjectsTo(email: string): Promise<string[]> {
  return (await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1]?.trim() ?? '');
}

test('a suppressed address is passed over without a row, and the run goes on to its end', async () => {
  const email = project.address();
  await newContact(project, email);
  await row(em, sql`insert into suppressions (project_id, email, reason) values (${project.id}, ${email}, 'manual')`);
  const id = await (await newSequence(project, { steps: BOTH })).enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 skipped', 'send_2 skipped', 'exit ended']);
  expect(await sendsTo(email)).toEqual([]);
  expect(await mailNow(email)).toEqual([]);
});

test('a suppressed address is passed over without a row even where the template is not enabled', async () => {
  const email = project.address();
  await newContact(project, email);
  await row(em, sql`insert into suppressions (project_id, email, reason) values (${project.id}, ${email}, 'manual')`);
  const id = await (await newSequence(project, { steps: [{ template: 'newsletter' }] })).enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 skipped', 'exit ended']);
  expect(await sendsTo(email)).toEqual([]);
});

test('a bounced contact gets no marketing mail but its transactional one, and only that has a row', async () => {
  const email = project.address();
  await newContact(project, email, { status: 'bounced' });
  const id = await (await newSequence(project, { steps: BOTH })).enroll(email);
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 skipped', 'send_2 sent', 'exit ended']);
  expect(await sendsTo(email)).toMatchObject([{ template: 'receipt', status: 'sent' }]);
  expect(await subjectsTo(email)).toEqual(['transactional']);
});

test('whoever unsubscribes in the middle of a run gets no more marketing mail of it', async () => {
  const unverified = await newProject({ ownerVerified: false });
  await enableTemplates(unverified, 'welcome', 'receipt');
  const email = unverified.address();
  const contactId = await newContact(unverified, email);
  const id = await (await newSequence(unverified, { steps: BOTH })).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:email_unverified');
  await unverified.api.post(`/contacts/${contactId}/unsubscribe`);
  await changeProject(em, unverified.id, { owner_email_verified: true });
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 skipped', 'send_2 sent', 'exit ended']);
  expect(await subjectsTo(email)).toEqual(['transactional']);
});

test('a template that is not enabled makes a failed row that says so, and the run goes on', async () => {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project, { steps: [{ template: 'newsletter' }, { template: 'receipt' }] })).enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 failed', 'send_2 sent', 'exit ended']);
  expect(await sendsTo(email)).toMatchObject([
    {
      template: 'newsletter',
      status: 'failed',
      error: expect.stringMatching(/^template_not_enabled\b/),
      provider_id: null,
      source_type: 'sequence',
    },
    { template: 'receipt', status: 'sent', error: null },
  ]);
});

test("a recipient that the provider refuses makes a failed row with the provider's word, and the run goes on", async () => {
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { rejectRecipient: { code: 550, message: 'nobody here', times: 1 } });
  const id = await (await newSequence(project, { steps: BOTH })).enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 failed', 'send_2 sent', 'exit ended']);
  expect(await sendsTo(email)).toMatchObject([
    { template: 'welcome', status: 'failed', error: expect.stringMatching(/^provider_rejected.*nobody here/) },
    { template: 'receipt', status: 'sent' },
  ]);
  expect(await subjectsTo(email)).toEqual(['transactional']);
});

test('a mail whose answer was cut off is recorded as of unknown outcome, not sent again, and the run goes on', async () => {
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { dropAfterData: { times: 1 } });
  const id = await (await newSequence(project, { steps: BOTH })).enroll(email);
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 failed', 'send_2 sent', 'exit ended']);
  expect(await sendsTo(email)).toMatchObject([{ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) }, { status: 'sent' }]);
  expect(await subjectsTo(email)).toEqual(['marketing', 'transactional']);
});
