import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { SEARCH_ATTRIBUTES, type WorkflowType } from '../../workflows/contracts.ts';
import { adminProgram } from '../support/admin.ts';
import { startFailing, startWithFailingActivity, takeActivity } from '../support/by-hand.ts';
import { closedWorkflow } from '../support/closed-workflow.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { TYPES, workflowIds } from '../support/open-rows.ts';
import type { TestProject } from '../support/project.ts';
import { standing } from '../support/row-standing.ts';
import * as stuckRows from './stuck-rows.ts';
import { type WithoutWorkers, withoutWorkers } from './without-workers.ts';

let alone: WithoutWorkers;
let em: EntityManager;
let client: Client;
let project: TestProject;

beforeAll(async () => {
  alone = await withoutWorkers();
  ({ em, client, project } = alone);
});

afterAll(() => alone?.stop());

test('stuck lists all that does not go on, with what is wrong, and nothing that waits by design', async () => {
  const [missing, closed, broken] = [await alone.newRows(), await alone.newRows(), await alone.newRows()];
  const [late, held, well] = [await alone.newRows(), await alone.newRows(), await alone.newRows()];
  await alone.startOpen(well, ...TYPES);
  await alone.startOpen(held, ...TYPES);
  await alone.startOpen(late, ...TYPES);
  await alone.startOpen(
    broken,
    'webhookDelivery',
    'webhookBurst',
    'webhookRetry',
    'scheduledSends',
    'bulkEnrollment',
    'enrollmentAction',
    'domainCheck',
    'confirmation',
    'contactImport',
  );
  for (const type of TYPES) await closedWorkflow(client, type, workflowIds(closed)[type], 'terminated');
  await startFailing(client, 'enrollment', workflowIds(broken).enrollment, 3, 'nondeterminism of ada@example.com');
  const failing = { activity: 'sendCampaignPages', times: 5, message: 'the table is gone' };
  await startWithFailingActivity(client, 'campaign', workflowIds(broken).campaign, failing);
  // One that has no row.
  await startFailing(client, 'reconcile', 'reconcile-of-the-test', 5, 'a bug');
  const isReported = 'WorkflowId = "reconcile-of-the-test" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed")';
  await eventually(async () => (await client.workflow.count(isReported)).count > 0);
  await stuckRows.areLate(em, late);
  await stuckRows.areHeld(em, held);
  await stuckRows.areInAnOutage(em, well);

  const found = await alone.stuck();
  const problems = Object.fromEntries(found.map(({ workflowId, problem }) => [workflowId, problem]));
  const [isMissing, isClosed] = [expect.stringContaining('does not exist'), expect.stringContaining('is closed (terminated)')];
  expect(problems).toEqual({
    ...Object.fromEntries(Object.values(workflowIds(missing)).map((id) => [id, isMissing])),
    ...Object.fromEntries(Object.values(workflowIds(closed)).map((id) => [id, isClosed])),
    [workflowIds(broken).enrollment]: expect.stringMatching(/workflow tasks fail, 3 times in a row: nondeterminism of …@…; .*mended/),
    [workflowIds(broken).campaign]: expect.stringMatching(
      /activity sendCampaignPages is at attempt 6: the table is gone; .*workflow retry/,
    ),
    'reconcile-of-the-test': expect.stringContaining('a bug'),
    [workflowIds(late).enrollment]: expect.stringMatching(/waits for delay until .*, which is over/),
    [workflowIds(late).campaign]: expect.stringContaining('nothing has been sent for 60 min'),
    [workflowIds(late).scheduledSends]: expect.stringMatching(/an email was to go at .*, which is over/),
    [workflowIds(late).webhookDelivery]: expect.stringMatching(/attempt 3 was due at/),
    [workflowIds(well).enrollment]: expect.stringContaining('provider has been away for 2 h'),
    [workflowIds(well).campaign]: expect.stringContaining('provider has been away for 2 h'),
  });
  expect(found.find(({ workflowId }) => workflowId === workflowIds(late).enrollment)).toEqual({
    ...{ workflowId: workflowIds(late).enrollment, type: 'enrollment', project: project.slug },
    ...{ since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), problem: expect.any(String) },
  });
  expect(found.find(({ workflowId }) => workflowId === 'reconcile-of-the-test')).toMatchObject({ type: 'reconcile', project: null });
  expect(found.map(({ since }) => since)).toEqual(found.map(({ since }) => since).toSorted());
});

test('stuck says by its host which endpoint keeps its deliveries, and names its burst once with how many wait', async () => {
  const { other, ids } = await alone.rowsOfAnother();
  await alone.startOpen(ids, ...TYPES);
  const { webhookDelivery, webhookBurst: burst } = ids;
  const endpoint = await stuckRows.isOverdue(em, webhookDelivery, { attempts: 1, by: '1 hour' });
  await stuckRows.moreWaitInBurst(em, burst, 1_233);
  const problems = async (): Promise<Record<string, string>> => {
    const found = await alone.stuck(other);
    const about = found.filter(({ workflowId }) => [workflowIds(ids).webhookDelivery, workflowIds(ids).webhookBurst].includes(workflowId));
    return Object.fromEntries(about.map(({ workflowId, problem }) => [workflowId, problem]));
  };
  const both = (ofDelivery: string, ofBurst: string): Record<string, unknown> => ({
    [`webhook/${webhookDelivery}`]: expect.stringMatching(new RegExp(`^attempt 2 was due at \\S+; ${ofDelivery}$`)),
    [`webhook-burst/${burst}`]: expect.stringMatching(
      new RegExp(`^1,234 first attempts wait in this burst, the first since \\S+Z; ${ofBurst}$`),
    ),
  });
  const { host } = new URL(testEnvironment().receiverUrl);
  const says = (id: string, answered: string): string =>
    `${host} \\(endpoint ${id}\\) last answered ${answered}${id === burst ? ' to other deliveries' : ''}: tell the project, or disable the endpoint`;
  const checkWorkers = 'see that workers run and keep up';
  const workersToo = both(`${checkWorkers}, then: workflow retry`, checkWorkers);

  expect(await problems()).toEqual(workersToo);
  // Neither what was before, nor what was no answer of the endpoint.
  for (const id of [endpoint, burst]) {
    await stuckRows.answeredLately(em, id, { status: 500, error: null }, '3 hours');
    await stuckRows.answeredLately(em, id, { status: null, error: 'cut off: how it ended is not known' });
  }
  expect(await problems()).toEqual(workersToo);
  await stuckRows.answeredLately(em, endpoint, { status: null, error: 'timeout: no answer from 192.0.2.7 within 15 seconds' }, '5 minutes');
  await stuckRows.answeredLately(em, burst, { status: 503, error: null }, '5 minutes');
  expect(await problems()).toEqual(both(says(endpoint, 'timeout'), says(burst, '503')));
  for (const id of [endpoint, burst]) await stuckRows.answeredLately(em, id, { status: 204, error: null });
  expect(await problems()).toEqual(workersToo);
  await row(em, sql`update webhook_endpoints set enabled = false where id = any(${[endpoint, burst]}::uuid[])`);
  expect(await problems()).toEqual({});
});

test('stuck names an endpoint with many overdue deliveries once, by the one that was due first, and tells of those that were never attempted', async () => {
  const { other, ids } = await alone.rowsOfAnother();
  const endpoint = await stuckRows.isOverdue(em, ids.webhookDelivery, { attempts: 0, by: '2 hours' });
  const more = await stuckRows.moreAreOverdue(em, ids.webhookDelivery, 5);
  await alone.startOpen(ids, ...TYPES);
  for (const id of more) await client.workflow.start('webhookDelivery', { workflowId: `webhook/${id}`, taskQueue: 'nobody' });
  const problems = async (): Promise<string[]> => {
    const found = await alone.stuck(other);
    const overdue = found.filter(({ workflowId }) => [ids.webhookDelivery, ...more].includes(workflowId.slice(8)));
    expect(overdue.map(({ workflowId }) => workflowId)).toEqual([workflowIds(ids).webhookDelivery]);
    return overdue.map(({ problem }) => problem);
  };
  await stuckRows.answeredLately(em, endpoint, { status: 503, error: null }, '5 minutes');
  expect(await problems()).toEqual([
    expect.stringMatching(
      /^6 deliveries to one endpoint are overdue, 2 of them not attempted yet; of this one, due first, attempt 1 was due at \S+; .* last answered 503: tell/,
    ),
  ]);
  await row(em, sql`update webhook_deliveries set status = 'failed' where attempts > 0 and id = any(${more}::uuid[])`);
  expect(await problems()).toEqual([
    expect.stringMatching(/^2 deliveries to one endpoint are overdue, 2 of them .* last answered 503 to other deliveries: tell/),
  ]);
});

test('retry of a wait that is over has the run read its row again; of one that is not, it does nothing', async () => {
  const ids = await alone.newRows();
  const { enrollment: workflowId } = workflowIds(ids);
  await client.workflow.start('enrollment', {
    ...{ workflowId, taskQueue: 'nobody' },
    typedSearchAttributes: [{ key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD'), value: 'waiting' }],
  });
  const until = (from: string) =>
    row(em, sql`update enrollments set waiting_for = 'delay', wakes_at = now() + ${from}::interval where id = ${ids.enrollment}`);
  await until('1 hour');
  expect(await alone.json('workflow', 'retry', ids.enrollment)).toMatchObject({ action: 'none' });
  await until('-1 hour');
  expect(await alone.json('workflow', 'retry', ids.enrollment)).toEqual({ id: ids.enrollment, workflowId, action: 'signalled' });
});

test('stuck says where the logs have why Temporal does not take a message', async () => {
  const { other, ids } = await alone.rowsOfAnother();
  await alone.startOpen(ids, ...TYPES);
  const workflowId = workflowIds(ids).enrollment;
  await stuckRows.isOnItsWay(em, other.id, workflowId, { kind: 'signal', signal: 'changed' }, 6);
  expect(await alone.stuck(other)).toMatchObject([
    { workflowId, problem: expect.stringMatching(/^Temporal has not taken its signal in 6 tries; .*outbox\.message_refused/) },
  ]);
});

test('retry and terminate do nothing to what the pasted workflow id is not of, and say what its id is', async () => {
  const ids = await alone.newRows();
  await alone.startOpen(ids, ...TYPES);
  const wrong: readonly (readonly [prefix: string, of: WorkflowType, name: string])[] = [
    ['campaign', 'enrollment', 'an enrollment'],
    ['webhook', 'campaign', 'a campaign'],
    ['webhook-burst', 'webhookDelivery', 'a delivery'],
    ['webhook', 'webhookBurst', 'an endpoint'],
    ['scheduled', 'campaign', 'a campaign'],
  ];
  const before = await standing(em, ids);
  for (const command of ['retry', 'terminate'])
    for (const [prefix, type, name] of wrong)
      expect(await alone.admin(['workflow', command, `${prefix}/${ids[type]}`])).toEqual({
        ...{ code: 1, stdout: '' },
        stderr: `everpost: ${prefix}/${ids[type]} is no workflow: ${ids[type]} is the id of ${name}, ${workflowIds(ids)[type]}\n`,
      });
  expect(await standing(em, ids)).toEqual(before);
});

test('retry takes the workflow id of each type, as Temporal Web shows it', async () => {
  const ids = await alone.newRows();
  await alone.startOpen(ids, ...TYPES);
  for (const workflowId of Object.values(workflowIds(ids)))
    expect(await alone.json('workflow', 'retry', workflowId)).toMatchObject({ workflowId });
});

test('retry of a run under the frequency cap says that it does not end that', async () => {
  const ids = await alone.newRows();
  await alone.startOpen(ids, 'enrollment');
  const heldBy = (reason: string) => row(em, sql`update enrollments set waiting_for = ${`held:${reason}`} where id = ${ids.enrollment}`);
  await heldBy('frequency_cap');
  expect(await alone.json('workflow', 'retry', ids.enrollment)).toMatchObject({
    action: 'signalled',
    reason: expect.stringMatching(/held by frequency_cap: it goes on by itself .*does not end that/),
  });
  await heldBy('provider_unavailable');
  expect(await alone.json('workflow', 'retry', ids.enrollment)).not.toHaveProperty('reason');
});

test('stuck shows one project alone, and people a table with whole sentences', async () => {
  const { other, ids } = await alone.rowsOfAnother();
  const found = await alone.stuck(other);
  // Scheduled mails are those of a project of their own.
  const { scheduledSends: _, ...itsOwn } = workflowIds(ids);
  expect(found.map(({ workflowId }) => workflowId).toSorted()).toEqual(Object.values(itsOwn).toSorted());
  const passed = (ago: string) =>
    row(em, sql`update reconcile_progress set passed_at = now() - ${ago}::interval where workflow_type = 'reconcile'`);
  await passed('1 minute');
  const { stdout } = await alone.admin(['workflow', 'stuck', '--project', other.slug], adminProgram);
  expect(stdout).toMatch(/^workflowId +type +project +since +problem\n/);
  expect(stdout).toContain('its workflow does not exist; a worker that runs starts it within minutes, or at once: workflow retry\n');
  await passed('3 hours');
  const [missing] = await alone.stuck(other);
  expect(missing?.problem).toBe(
    'its workflow does not exist; reconcile, which starts it within minutes, has finished no pass for 3 h: see that workers run, ' +
      'and that the schedule everpost-reconcile is not paused, or at once: workflow retry',
  );
  const quiet = await alone.anotherProject();
  expect(await alone.admin(['workflow', 'stuck', '--project', quiet.slug])).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  expect(await alone.admin(['workflow', 'stuck', '--project', 'no-such'])).toMatchObject({ code: 1, stdout: '' });
});

test('retry starts each workflow that does not exist, once', async () => {
  const ids = await alone.newRows();
  const named = workflowIds(ids);
  const started = TYPES.map((type) => ({ id: ids[type], workflowId: named[type], action: 'started' }));
  expect(await Promise.all(TYPES.map((type) => alone.json('workflow', 'retry', ids[type])))).toEqual(started);
  for (const workflowId of Object.values(named))
    await eventually(async () => (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING');
  // By the workflow's id, as stuck prints it.
  const { enrollment: workflowId } = named;
  expect(await alone.jsonOfProgram('workflow', 'retry', workflowId)).toEqual({ id: ids.enrollment, workflowId, action: 'signalled' });
});

test('retry makes the next attempt of a failing activity at once', async () => {
  const { campaign } = await alone.newRows();
  const failing = { activity: 'sendCampaignPages', times: 6, message: 'the table is gone' };
  const taskQueue = await startWithFailingActivity(client, 'campaign', `campaign/${campaign}`, failing);
  expect(await alone.json('workflow', 'retry', campaign)).toMatchObject({ action: 'signalled' });
  expect((await takeActivity(client, taskQueue)).length).toBeGreaterThan(0);
});

test('retry does nothing, and says why, where it cannot help', async () => {
  const [broken, closed] = [await alone.newRows(), await alone.newRows()];
  await startFailing(client, 'enrollment', workflowIds(broken).enrollment, 3, 'a bug in it');
  await closedWorkflow(client, 'enrollment', workflowIds(closed).enrollment, 'terminated');
  const retried = async (id: string) => {
    const { code, stdout, stderr } = await alone.admin(['workflow', 'retry', id, '--json']);
    const { action, reason } = JSON.parse(stdout);
    return { code, action, reason, stderr };
  };
  const nothing = (why: RegExp) => ({ code: 0, action: 'none', stderr: '', reason: expect.stringMatching(why) });
  expect(await retried(broken.enrollment)).toEqual(nothing(/a bug in it; .*code is mended/));
  expect(await retried(closed.enrollment)).toEqual(nothing(/closed \(terminated\)/));
  await row(em, sql`update enrollments set status = 'completed', end_reason = 'exit' where id = ${closed.enrollment}`);
  expect(await retried(closed.enrollment)).toEqual(nothing(/completed \(exit\): .*nothing to retry/));
});
