import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { admin, adminProgram } from '../support/admin.ts';
import { campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { enableTemplates, enrollmentBecomes, enrollmentOf, newContact, newSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { deliveryHandle, expectArrivedAsCounted, newEndpoint, stateOf } from '../support/webhooks.ts';

/** Beside workers, which do what the command asks for. */
let receiver: HttpReceiver;
let client: Client;
let em: EntityManager;
let project: TestProject;
let env: Record<string, string>;

beforeAll(async () => {
  const { databaseUrl, temporalAddress, secretKey, scratchDir } = testEnvironment();
  const dataDir = await mkdtemp(join(scratchDir, 'admin-'));
  env = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, SECRET_KEY: secretKey, DATA_DIR: dataDir };
  receiver = await startHttpReceiver();
  client = await temporalClient();
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'newsletter');
});
afterAll(() => receiver?.close());

/** The record, and what is said beside it. */
async function workflow(command: 'retry' | 'terminate', id: string) {
  const { code, stdout, stderr } = await admin(['workflow', command, id, '--json'], env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { ...JSON.parse(stdout), note: stderr };
}

test('a delivery that waits is attempted at once; one that is terminated has failed, and is begun again', async () => {
  const endpoint = await newEndpoint(receiver);
  const inAnHour = { status: 503, headers: { 'retry-after': '3600' } };
  receiver.answer(endpoint.path, inAnHour, inAnHour);
  await endpoint.happens();
  const { id } = await endpoint.becomes(({ attempts }) => attempts === 1);
  const record = { id, workflowId: `webhook/${id}`, note: '' };
  await eventually(async () => (await stateOf(client, record.workflowId)) === 'retrying');
  expect(await workflow('retry', id)).toEqual({ ...record, action: 'signalled' });
  await endpoint.becomes(({ attempts }) => attempts === 2);
  for (const note of ['', 'everpost: it had ended already: failed\n'])
    expect(await workflow('terminate', id)).toEqual({ ...record, status: 'failed', note });
  expect((await endpoint.deliveries())[0]).toMatchObject({ status: 'failed' });
  expect((await deliveryHandle(client, { id }).describe()).status.name).toBe('TERMINATED');
  expect(await workflow('retry', id)).toEqual({ ...record, action: 'restarted' });
  const delivery = await endpoint.becomes(({ status }) => status === 'delivered');
  expect(delivery).toMatchObject({ series: 2, attempts: 1 });
  expectArrivedAsCounted([{ ...delivery, attempts: 3, attempt_log: numbered(delivery.attempt_log) }], endpoint.calls());
  expect(await workflow('retry', id)).toMatchObject({ action: 'none', reason: expect.stringContaining('it is delivered') });
  expect(endpoint.calls()).toHaveLength(3);
});

/** The attempts of all series counted through. */
function numbered<T extends { readonly number: number }>(log: readonly T[]): T[] {
  return log.map((entry, index) => ({ ...entry, number: index + 1 }));
}

test('an enrollment whose workflow is gone goes on where it stood; terminated it is cancelled for the API at once', async () => {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project)).enroll(email);
  const record = { id, workflowId: `enrollment/${id}`, note: '' };
  const before = await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  const handle = client.workflow.getHandle(record.workflowId);
  // So that the next pass is some time off: it would settle the row of a workflow that it finds terminated, as this one is on its way out.
  await reconcileNow(client);
  await client.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId: record.workflowId } });
  const isThere = () =>
    handle.describe().then(
      () => true,
      () => false,
    );
  await eventually(async () => !(await isThere()));
  // A pass of reconcile may have come first.
  expect(await workflow('retry', id)).toMatchObject({ id, action: expect.stringMatching(/^(started|signalled|none)$/) });
  await eventually(isThere);
  expect(await enrollmentOf(em, id)).toEqual(before);
  await eventually(async () => (await stateOf(client, record.workflowId)) === 'waiting');
  expect(await workflow('retry', id)).toMatchObject({
    action: 'none',
    reason: expect.stringContaining('waits for what its sequence asks for'),
  });
  for (const note of ['', 'everpost: it had ended already: cancelled (terminated)\n'])
    expect(await workflow('terminate', id)).toEqual({ ...record, status: 'cancelled', note });
  expect((await project.api.get(`/enrollments/${id}`)).body.enrollment).toMatchObject({ status: 'cancelled', end_reason: 'terminated' });
  expect((await handle.describe()).status.name).toBe('TERMINATED');
  expect(await workflow('retry', id)).toMatchObject({ action: 'none', reason: expect.stringContaining('cancelled (terminated)') });
});

test('a campaign that is terminated is cancelled for the API at once, and adds up', async () => {
  const { tag } = await newAudience(project, 3);
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: inADay });
  const record = { id, workflowId: `campaign/${id}`, note: '' };
  await eventually(async () => (await stateOf(client, record.workflowId)) === 'waiting');
  expect(await workflow('retry', id)).toEqual({ ...record, action: 'signalled' });
  for (const note of ['', 'everpost: it had ended already: cancelled (terminated)\n'])
    expect(await workflow('terminate', id)).toEqual({ ...record, status: 'cancelled', note });
  expect(await campaignOf(project, id)).toMatchObject({
    status: 'cancelled',
    reason: 'terminated',
    total_recipients: 3,
    cancelled_count: 3,
  });
});

test.each([
  [['workflow', 'retry', 'ada'], 2, /"ada" is neither an id nor the id of a workflow/],
  [['workflow', 'terminate', 'enrollment/ada'], 2, /"enrollment\/ada" is neither an id nor the id of a workflow/],
  [['workflow', 'retry'], 2, /takes 1 argument/],
  [
    ['workflow', 'retry', '01990000-0000-7000-8000-000000000000'],
    1,
    /no enrollment, campaign, delivery, endpoint, retry or project has the id 01990000/,
  ],
  [
    ['workflow', 'terminate', '01990000-0000-7000-8000-000000000000'],
    1,
    /no enrollment, campaign, delivery, endpoint, retry or project has the id 01990000/,
  ],
])('%j ends with %d and says what is wrong', async (args, expected, message) => {
  const { code, stdout, stderr } = await admin(args, env);
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('without a Temporal server it says what is wrong in one line', async () => {
  const nobody = await adminProgram(['workflow', 'stuck'], { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(nobody).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^everpost: Temporal at 127\.0\.0\.1:1 .*cannot be reached.*\n$/),
  });
  const unset = await admin(['workflow', 'stuck'], { ...env, TEMPORAL_ADDRESS: '' });
  expect(unset).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^everpost: TEMPORAL_ADDRESS is not set.*\n$/) });
  const noNamespace = await admin(['workflow', 'stuck'], { ...env, TEMPORAL_NAMESPACE: 'nowhere' });
  expect(noNamespace).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^everpost: Temporal at .*"nowhere".*\n$/) });
});
