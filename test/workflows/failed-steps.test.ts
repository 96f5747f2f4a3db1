import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { failVisit, recordOutcome } from '../../db/queries/sequences/enrollment-steps.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { cancelInFlight } from '../support/cancel-in-flight.ts';
import { eventually } from '../support/eventually.ts';
import { newFlow } from '../support/flow.ts';
import { scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact } from '../support/sequences.ts';
import { historyOf, readable, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
});

const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template } });

test('failed steps are counted in the enrollment, in its lists and in the list of sequences, and say why', async () => {
  const flow = await newFlow(project, chain(mail('lacks', 'password-reset'), mail('off', 'newsletter'), mail('goes', 'welcome')));
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await flow.enroll(email);
  await enrollmentEnds(em, id);
  const { enrollment } = must(await project.api.get(`/enrollments/${id}`), 200);
  expect(enrollment).toMatchObject({ status: 'completed', end_reason: 'exit', failed_steps: 2 });
  expect(enrollment.steps.slice(1, 4)).toMatchObject([
    { node_id: 'lacks', outcome: 'failed', detail: 'render_failed: required data is missing: resetUrl' },
    { node_id: 'off', outcome: 'failed', detail: expect.stringMatching(/^template_not_enabled/) },
    { node_id: 'goes', outcome: 'sent' },
  ]);
  const { enrollments } = must(await project.api.get(`/sequences/${flow.key}/enrollments?contactId=${contactId}`), 200);
  expect(enrollments).toMatchObject([{ id, failed_steps: 2 }]);
  // Among the others of its sequence, with every filter.
  await flow.put({ status: 'active', ...chain(mail('goes', 'welcome')) });
  const good = project.address();
  await newContact(project, good);
  await enrollmentEnds(em, await flow.enroll(good));
  const withFailures = `/sequences/${flow.key}/enrollments?failedSteps=some`;
  for (const path of [withFailures, `${withFailures}&status=completed`]) {
    expect(must(await project.api.get(path), 200).enrollments).toMatchObject([{ id, failed_steps: 2 }]);
  }
  expect(must(await project.api.get(`${withFailures}&status=active`), 200).enrollments).toEqual([]);
  expect((await project.api.get(`/sequences/${flow.key}/enrollments?failedSteps=none`)).status).toBe(422);
  const fine = await newFlow(project, chain(mail('goes', 'welcome')));
  await enrollmentEnds(em, await fine.enroll(email));
  const { sequences } = must(await project.api.get('/sequences'), 200);
  const listed = new Map(sequences.map((sequence: { key: string }) => [sequence.key, sequence]));
  expect(listed.get(flow.key)).toMatchObject({ enrollments: { completed: 2 }, failed_steps: 2 });
  expect(listed.get(fine.key)).toMatchObject({ enrollments: { completed: 1 }, failed_steps: 0 });
});

test('the list of runs tells the address of each to keys that may read contacts, and to no other', async () => {
  const flow = await newFlow(project, chain(mail('goes', 'welcome')));
  const email = project.address();
  await newContact(project, email);
  await flow.enroll(email);
  const path = `/sequences/${flow.key}/enrollments`;
  expect(must(await project.api.get(path), 200).enrollments).toMatchObject([{ contact_email: email }]);
  const { api } = await project.newKey(['sequences:write']);
  expect(must(await api.get(path), 200).enrollments).toMatchObject([{ contact_email: null }]);
});

test('Temporal Web shows a mail that failed as a failed activity with its reason, without an address, and what became of the others', async () => {
  const email = project.address('refused');
  await newContact(project, email);
  await scriptMail(email, { rejectRecipient: { code: 550, message: `no mailbox ${email} here`, times: 1 } });
  const flow = await newFlow(project, chain(mail('refused', 'welcome'), mail('goes', 'welcome'), mail('lacks', 'password-reset')));
  const id = await flow.enroll(email);
  await enrollmentEnds(em, id);
  const client = await temporalClient();
  const handle = client.workflow.getHandle(`enrollment/${id}`);
  expect(await handle.result()).toMatch(/^completed: exit; refused failed: provider_rejected: .*; lacks failed: render_failed: /);
  const history = await historyOf(client, id);
  const failures = JSON.stringify(history.events).match(/"message":"[^"]*(?:provider_rejected|render_failed)[^"]*"/g);
  expect(failures).toEqual([
    expect.stringMatching(/^"message":"provider_rejected: .*no mailbox …@… here/),
    '"message":"render_failed: required data is missing: resetUrl"',
  ]);
  expect(readable(history)).toMatch(/outcome\W+sent/);
  expect(readable(history)).not.toContain(email);
  expect(must(await project.api.get(`/enrollments/${id}`), 200).enrollment.failed_steps).toBe(2);
});

test('a mail that fails after its run was cancelled is counted as well', async () => {
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { hold: true });
  const id = await (await newFlow(project, chain(mail('late', 'welcome')))).enroll(email);
  await cancelInFlight(em, project, id, email, { dropAfterData: { times: 1 } });
  const read = async () => must(await project.api.get(`/enrollments/${id}`), 200).enrollment;
  await eventually(async () => (await read()).steps[1].outcome !== null);
  // Read anew: a run is read before its steps, and its count may be of the moment before.
  expect(await read()).toMatchObject({ status: 'cancelled', end_reason: 'cancelled', failed_steps: 1, steps: [{}, { outcome: 'failed' }] });
});

test('a failure that is reported twice is counted once', async () => {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newFlow(project, chain({ id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } }))).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  const report = { step: 2, outcome: 'failed', detail: 'refused' };
  expect([await recordOutcome(em, id, report), await recordOutcome(em, id, report)]).toEqual([true, false]);
  expect(must(await project.api.get(`/enrollments/${id}`), 200).enrollment).toMatchObject({ failed_steps: 1 });
});

test('a run that fails at a step of its own is counted by it once', async () => {
  const flow = await newFlow(project, chain({ id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } }));
  const email = project.address();
  await newContact(project, email);
  const enrollmentId = await flow.enroll(email);
  await enrollmentBecomes(em, enrollmentId, ({ waiting_for }) => waiting_for === 'delay');
  // A graph that an earlier version stored and that this one does not understand any more.
  await failVisit(em, enrollmentId, 2, { reported: undefined, reason: 'the graph has no node d' });
  await failVisit(em, enrollmentId, 2, { reported: undefined, reason: 'again' });
  await (await temporalClient()).workflow.getHandle(`enrollment/${enrollmentId}`).signal('changed');
  expect(await enrollmentEnds(em, enrollmentId)).toMatchObject({ failed_steps: 1 });
});
