import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookDelivery } from '../../db/entities/index.ts';
import { isoText } from '../../db/iso-text.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { registerSearchAttributes } from '../../platform/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES, type WorkflowType } from '../../workflows/contracts.ts';
import { type Admin, adminProgram, type Ended, admin as runAdmin } from '../support/admin.ts';
import { startFailing, startWithFailingActivity, takeActivity } from '../support/by-hand.ts';
import { closedWorkflow } from '../support/closed-workflow.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type OfEachType, openRows, TYPES, workflowIds } from '../support/open-rows.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { settled, standing } from '../support/row-standing.ts';
import { newSequence, type TestSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

/** No worker runs: what is broken stays so. */
let everpost: Everpost;
let em: EntityManager;
let client: Client;
let project: TestProject;
let sequence: TestSequence;
let env: Record<string, string>;

beforeAll(async () => {
  everpost = await startEverpost({ worker: false });
  em = await database(everpost.databaseUrl);
  client = await temporalClient(everpost.namespace);
  await registerSearchAttributes(client.connection, everpost.namespace);
  project = await newProject({ everpost });
  sequence = await newSequence(project);
  const { temporalAddress, secretKey, scratchDir } = testEnvironment();
  env = {
    ...{ DATABASE_URL: everpost.databaseUrl, SECRET_KEY: secretKey, DATA_DIR: await mkdtemp(join(scratchDir, 'admin-')) },
    ...{ TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: everpost.namespace },
  };
});

afterAll(() => everpost?.stop());

function admin(args: readonly string[], overrides: Readonly<Record<string, string>> = {}, run: Admin = runAdmin): Promise<Ended> {
  return run(args, { ...env, ...overrides });
}

// biome-ignore lint/suspicious/noExplicitAny: each command has its own record
async function answer(args: readonly string[], run: Admin): Promise<any> {
  const { code, stdout, stderr } = await admin([...args, '--json'], {}, run);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const json = (...args: readonly string[]) => answer(args, runAdmin);
/** The same from a process of its own, which ends by itself. */
const jsonOfProgram = (...args: readonly string[]) => answer(args, adminProgram);

function newRows(of: TestProject = project, its: TestSequence = sequence): Promise<OfEachType<string>> {
  return openRows({ em, project: of, sequence: its });
}

/** Starts the workflows of these rows where nobody works on them: they are open, and nothing is wrong with them. */
async function startOpen(ids: OfEachType<string>, ...types: readonly WorkflowType[]): Promise<void> {
  const named = workflowIds(ids);
  for (const type of types) await client.workflow.start(type, { workflowId: named[type], taskQueue: 'nobody' });
}

const AN_HOUR_AGO = sql`now() - interval '1 hour'`;

test('stuck lists all that does not go on, with what is wrong, and nothing that waits by design', async () => {
  const [missing, closed, broken, late, held, well] = [
    await newRows(),
    await newRows(),
    await newRows(),
    await newRows(),
    await newRows(),
    await newRows(),
  ];
  await startOpen(well, ...TYPES);
  await startOpen(held, ...TYPES);
  await startOpen(late, ...TYPES);
  await startOpen(broken, 'webhookDelivery', 'webhookBurst');
  for (const type of TYPES) await closedWorkflow(client, type, workflowIds(closed)[type], 'terminated');
  await startFailing(client, 'enrollment', workflowIds(broken).enrollment, 3, 'nondeterminism of ada@example.com');
  const failing = { activity: 'sendCampaignPages', times: 5, message: 'the table is gone' };
  await startWithFailingActivity(client, 'campaign', workflowIds(broken).campaign, failing);
  // One that has no row.
  await startFailing(client, 'reconcile', 'reconcile-of-the-test', 5, 'a bug');
  const isReported = 'WorkflowId = "reconcile-of-the-test" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed")';
  await eventually(async () => (await client.workflow.count(isReported)).count > 0);
  await row(em, sql`update enrollments set waiting_for = 'delay', wakes_at = ${AN_HOUR_AGO} where id = ${late.enrollment}`);
  await row(em, sql`update campaigns set status = 'sending', started_at = ${AN_HOUR_AGO} where id = ${late.campaign}`);
  await row(em, sql`update webhook_deliveries set attempts = 2, next_attempt_at = ${AN_HOUR_AGO} where id = ${late.webhookDelivery}`);
  // Held: by a paused sequence, by hand, by a disabled endpoint.
  await row(em, sql`update enrollments set waiting_for = 'held:paused', started_at = ${AN_HOUR_AGO} where id = ${held.enrollment}`);
  await row(em, sql`update campaigns set status = 'sending', paused = true, started_at = ${AN_HOUR_AGO} where id = ${held.campaign}`);
  await row(em, sql`update webhook_deliveries set next_attempt_at = ${AN_HOUR_AGO} where id = ${held.webhookDelivery}`);
  await row(
    em,
    sql`update webhook_endpoints w set enabled = false from webhook_deliveries d where d.id = ${held.webhookDelivery} and w.id = d.endpoint_id`,
  );
  // An outage is waited out by design, and named when it lasts.
  await row(
    em,
    sql`update enrollments set waiting_for = 'held:provider_unavailable', held_at = now(), wakes_at = now() + interval '5 minutes'
        where id = ${well.enrollment}`,
  );
  await row(
    em,
    sql`insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, outage_ms) values (${well.enrollment}, 1, 'send_1', 1, 'send_email', 7200000)`,
  );
  await row(
    em,
    sql`update campaigns set status = 'sending', started_at = now(), first_outage_at = now() - interval '2 hours', retry_at = now()
        where id = ${well.campaign}`,
  );

  const found: { workflowId: string; type: string; project: string | null; since: string; problem: string }[] = await json(
    'workflow',
    'stuck',
  );
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

/** One more delivery to the endpoint, whose last attempt was a while ago. */
async function answeredLately(
  endpointId: string,
  answer: { status: number | null; error: string | null },
  ago = '1 minute',
): Promise<void> {
  await row(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, attempts, next_attempt_at, attempt_log)
        select d.project_id, d.endpoint_id, d.event_id, 1, now() + interval '1 hour', jsonb_build_array(
          jsonb_build_object('series', 1, 'number', 1, 'at', ${isoText(sql`(now() - ${ago}::interval)`)}, 'milliseconds', 1) || ${JSON.stringify(answer)}::jsonb)
        from webhook_deliveries d where d.endpoint_id = ${endpointId} limit 1`,
  );
}

test('stuck says by its host which endpoint keeps its deliveries, and names its burst once with how many wait', async () => {
  const other = await newProject({ everpost });
  const ids = await newRows(other, await newSequence(other));
  await startOpen(ids, ...TYPES);
  const { webhookDelivery, webhookBurst: burst } = ids;
  const late = await row(
    em,
    sql<{ endpoint_id: string }>`
      update webhook_deliveries set attempts = 1, next_attempt_at = ${AN_HOUR_AGO} where id = ${webhookDelivery} returning endpoint_id`,
  );
  const endpoint = late!.endpoint_id;
  await row(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, in_lane)
        select project_id, endpoint_id, event_id, true from webhook_deliveries, generate_series(1, 1233) where endpoint_id = ${burst}`,
  );
  await row(
    em,
    sql`update webhook_deliveries set created_at = ${AN_HOUR_AGO}, next_attempt_at = ${AN_HOUR_AGO} where endpoint_id = ${burst}`,
  );
  const problems = async (): Promise<Record<string, string>> => {
    const found: { workflowId: string; problem: string }[] = await json('workflow', 'stuck', '--project', other.slug);
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
    await answeredLately(id, { status: 500, error: null }, '3 hours');
    await answeredLately(id, { status: null, error: 'cut off: how it ended is not known' });
  }
  expect(await problems()).toEqual(workersToo);
  await answeredLately(endpoint, { status: null, error: 'timeout: no answer from 192.0.2.7 within 15 seconds' }, '5 minutes');
  await answeredLately(burst, { status: 503, error: null }, '5 minutes');
  expect(await problems()).toEqual(both(says(endpoint, 'timeout'), says(burst, '503')));
  for (const id of [endpoint, burst]) await answeredLately(id, { status: 204, error: null });
  expect(await problems()).toEqual(workersToo);
  await row(em, sql`update webhook_endpoints set enabled = false where id = any(${[endpoint, burst]}::uuid[])`);
  expect(await problems()).toEqual({});
});

test('stuck names an endpoint with many overdue deliveries once, by the one that was due first, and tells of those that were never attempted', async () => {
  const other = await newProject({ everpost });
  const ids = await newRows(other, await newSequence(other));
  const late = await row(
    em,
    sql<{ endpoint_id: string }>`
      update webhook_deliveries set attempts = 0, next_attempt_at = now() - interval '2 hours'
      where id = ${ids.webhookDelivery} returning endpoint_id`,
  );
  const more = await rows(
    em,
    sql<{ id: string }>`
      insert into webhook_deliveries (project_id, endpoint_id, event_id, attempts, next_attempt_at)
      select project_id, endpoint_id, event_id, least(n, 2) - 1, ${AN_HOUR_AGO}
      from webhook_deliveries, generate_series(1, 5) n where id = ${ids.webhookDelivery} returning id`,
  );
  await startOpen(ids, ...TYPES);
  for (const { id } of more) await client.workflow.start('webhookDelivery', { workflowId: `webhook/${id}`, taskQueue: 'nobody' });
  const problems = async (): Promise<string[]> => {
    const found: { workflowId: string; problem: string }[] = await json('workflow', 'stuck', '--project', other.slug);
    const overdue = found.filter(({ workflowId }) => [ids.webhookDelivery, ...more.map(({ id }) => id)].includes(workflowId.slice(8)));
    expect(overdue.map(({ workflowId }) => workflowId)).toEqual([workflowIds(ids).webhookDelivery]);
    return overdue.map(({ problem }) => problem);
  };
  await answeredLately(late!.endpoint_id, { status: 503, error: null }, '5 minutes');
  expect(await problems()).toEqual([
    expect.stringMatching(
      /^6 deliveries to one endpoint are overdue, 2 of them not attempted yet; of this one, due first, attempt 1 was due at \S+; .* last answered 503: tell/,
    ),
  ]);
  await row(em, sql`update webhook_deliveries set status = 'failed' where attempts > 0 and id = any(${more.map(({ id }) => id)}::uuid[])`);
  expect(await problems()).toEqual([
    expect.stringMatching(/^2 deliveries to one endpoint are overdue, 2 of them .* last answered 503 to other deliveries: tell/),
  ]);
});

test('retry of a wait that is over has the run read its row again; of one that is not, it does nothing', async () => {
  const ids = await newRows();
  const { enrollment: workflowId } = workflowIds(ids);
  await client.workflow.start('enrollment', {
    ...{ workflowId, taskQueue: 'nobody' },
    typedSearchAttributes: [{ key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD'), value: 'waiting' }],
  });
  const until = (from: string) =>
    row(em, sql`update enrollments set waiting_for = 'delay', wakes_at = now() + ${from}::interval where id = ${ids.enrollment}`);
  await until('1 hour');
  expect(await json('workflow', 'retry', ids.enrollment)).toMatchObject({ action: 'none' });
  await until('-1 hour');
  expect(await json('workflow', 'retry', ids.enrollment)).toEqual({ id: ids.enrollment, workflowId, action: 'signalled' });
});

test('stuck says where the logs have why Temporal does not take a message', async () => {
  const other = await newProject({ everpost });
  const ids = await newRows(other, await newSequence(other));
  await startOpen(ids, ...TYPES);
  const workflowId = workflowIds(ids).enrollment;
  await row(
    em,
    sql`insert into outbox (workflow_id, message, project_id, attempts, due_at)
        values (${workflowId}, '{"kind":"signal","signal":"changed"}', ${other.id}, 6, now() + interval '1 hour')`,
  );
  expect(await json('workflow', 'stuck', '--project', other.slug)).toMatchObject([
    { workflowId, problem: expect.stringMatching(/^Temporal has not taken its signal in 6 tries; .*outbox\.message_refused/) },
  ]);
});

test('retry and terminate do nothing to what the pasted workflow id is not of, and say what its id is', async () => {
  const ids = await newRows();
  await startOpen(ids, ...TYPES);
  const wrong: readonly (readonly [prefix: string, of: WorkflowType, name: string])[] = [
    ['campaign', 'enrollment', 'an enrollment'],
    ['webhook', 'campaign', 'a campaign'],
    ['webhook-burst', 'webhookDelivery', 'a delivery'],
    ['webhook', 'webhookBurst', 'an endpoint'],
  ];
  const before = await standing(em, ids);
  for (const command of ['retry', 'terminate'])
    for (const [prefix, type, name] of wrong)
      expect(await admin(['workflow', command, `${prefix}/${ids[type]}`])).toEqual({
        ...{ code: 1, stdout: '' },
        stderr: `everpost: ${prefix}/${ids[type]} is no workflow: ${ids[type]} is the id of ${name}, ${workflowIds(ids)[type]}\n`,
      });
  expect(await standing(em, ids)).toEqual(before);
});

test('retry of a run under the frequency cap says that it does not end that', async () => {
  const ids = await newRows();
  await startOpen(ids, 'enrollment');
  const heldBy = (reason: string) => row(em, sql`update enrollments set waiting_for = ${`held:${reason}`} where id = ${ids.enrollment}`);
  await heldBy('frequency_cap');
  expect(await json('workflow', 'retry', ids.enrollment)).toMatchObject({
    action: 'signalled',
    reason: expect.stringMatching(/held by frequency_cap: it goes on by itself .*does not end that/),
  });
  await heldBy('provider_unavailable');
  expect(await json('workflow', 'retry', ids.enrollment)).not.toHaveProperty('reason');
});

test('stuck shows one project alone, and people a table with whole sentences', async () => {
  const other = await newProject({ everpost });
  const ids = await newRows(other, await newSequence(other));
  const found = await json('workflow', 'stuck', '--project', other.slug);
  expect(found.map(({ workflowId }: { workflowId: string }) => workflowId).toSorted()).toEqual(Object.values(workflowIds(ids)).toSorted());
  const passed = (ago: string) =>
    row(em, sql`update reconcile_progress set passed_at = now() - ${ago}::interval where workflow_type = 'reconcile'`);
  await passed('1 minute');
  const { stdout } = await admin(['workflow', 'stuck', '--project', other.slug], {}, adminProgram);
  expect(stdout).toMatch(/^workflowId +type +project +since +problem\n/);
  expect(stdout).toContain('its workflow does not exist; a worker that runs starts it within minutes, or at once: workflow retry\n');
  await passed('3 hours');
  const [missing] = await json('workflow', 'stuck', '--project', other.slug);
  expect(missing.problem).toBe(
    'its workflow does not exist; reconcile, which starts it within minutes, has finished no pass for 3 h: see that workers run, ' +
      'and that the schedule everpost-reconcile is not paused, or at once: workflow retry',
  );
  const quiet = await newProject({ everpost });
  expect(await admin(['workflow', 'stuck', '--project', quiet.slug])).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  expect(await admin(['workflow', 'stuck', '--project', 'no-such'])).toMatchObject({ code: 1, stdout: '' });
});

test('retry starts each workflow that does not exist, once', async () => {
  const ids = await newRows();
  const named = workflowIds(ids);
  const started = TYPES.map((type) => ({ id: ids[type], workflowId: named[type], action: 'started' }));
  expect(await Promise.all(TYPES.map((type) => json('workflow', 'retry', ids[type])))).toEqual(started);
  for (const workflowId of Object.values(named))
    await eventually(async () => (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING');
  // By the workflow's id, as stuck prints it.
  const { enrollment: workflowId } = named;
  expect(await jsonOfProgram('workflow', 'retry', workflowId)).toEqual({ id: ids.enrollment, workflowId, action: 'signalled' });
});

test('retry makes the next attempt of a failing activity at once', async () => {
  const { campaign } = await newRows();
  const failing = { activity: 'sendCampaignPages', times: 6, message: 'the table is gone' };
  const taskQueue = await startWithFailingActivity(client, 'campaign', `campaign/${campaign}`, failing);
  expect(await json('workflow', 'retry', campaign)).toMatchObject({ action: 'signalled' });
  expect((await takeActivity(client, taskQueue)).length).toBeGreaterThan(0);
});

test('retry does nothing, and says why, where it cannot help', async () => {
  const [broken, closed] = [await newRows(), await newRows()];
  await startFailing(client, 'enrollment', workflowIds(broken).enrollment, 3, 'a bug in it');
  await closedWorkflow(client, 'enrollment', workflowIds(closed).enrollment, 'terminated');
  const retried = async (id: string) => {
    const { code, stdout, stderr } = await admin(['workflow', 'retry', id, '--json']);
    const { action, reason } = JSON.parse(stdout);
    return { code, action, reason, stderr };
  };
  expect(await retried(broken.enrollment)).toEqual({
    ...{ code: 0, action: 'none', stderr: '' },
    reason: expect.stringMatching(/a bug in it; .*code is mended/),
  });
  expect(await retried(closed.enrollment)).toEqual({
    code: 0,
    action: 'none',
    stderr: '',
    reason: expect.stringMatching(/closed \(terminated\)/),
  });
  await row(em, sql`update enrollments set status = 'completed', end_reason = 'exit' where id = ${closed.enrollment}`);
  expect(await retried(closed.enrollment)).toEqual({
    ...{ code: 0, action: 'none', stderr: '' },
    reason: expect.stringMatching(/completed \(exit\): .*nothing to retry/),
  });
});

test('terminate settles each type of row at once, with its workflow or without, also when it is called again', async () => {
  const [open, missing] = [await newRows(), await newRows()];
  await startOpen(open, ...TYPES);
  const statuses: OfEachType<string> = { enrollment: 'cancelled', campaign: 'cancelled', webhookDelivery: 'failed', webhookBurst: 'empty' };
  const terminate = async (ids: OfEachType<string>, ...types: readonly WorkflowType[]) =>
    expect(
      await Promise.all(types.map(async (type) => JSON.parse((await admin(['workflow', 'terminate', ids[type], '--json'])).stdout))),
    ).toEqual(
      types.map((type) => ({
        ...{ id: ids[type], workflowId: workflowIds(ids)[type], status: statuses[type] },
        ...(type === 'webhookBurst' ? { failed: expect.any(Number) } : {}),
      })),
    );
  await terminate(open, ...TYPES);
  expect(await standing(em, open)).toEqual(settled('terminated'));
  for (const workflowId of Object.values(workflowIds(open)))
    expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('TERMINATED');
  await terminate(open, 'enrollment', 'webhookDelivery');
  await terminate(missing, 'campaign', 'webhookBurst');
  expect(await standing(em, missing)).toEqual({ ...settled('terminated'), enrollment: 'active null', webhookDelivery: 'pending' });
  expect(await standing(em, open)).toEqual(settled('terminated'));
});

test('of a burst one delivery is terminated alone', async () => {
  const { webhookBurst } = await newRows();
  const [delivery] = await em.find(WebhookDelivery, { endpoint_id: webhookBurst }, { disableIdentityMap: true });
  await client.workflow.start('webhookBurst', { workflowId: `webhook-burst/${webhookBurst}`, taskQueue: 'nobody' });
  const burst = { id: delivery!.id, workflowId: `webhook-burst/${webhookBurst}` };
  expect(await json('workflow', 'retry', delivery!.id)).toEqual({ ...burst, action: 'signalled' });
  expect(await jsonOfProgram('workflow', 'terminate', delivery!.id)).toEqual({ ...burst, status: 'failed' });
  expect((await client.workflow.getHandle(burst.workflowId).describe()).status.name).toBe('RUNNING');
});

test('whoever terminates a burst is told how many deliveries fail with it and how one is begun again; a second time none do', async () => {
  const { webhookBurst } = await newRows();
  const told = async () => (await admin(['workflow', 'terminate', webhookBurst])).stderr;
  expect(await told()).toMatch(/^everpost: 1 deliveries that waited in this burst have failed; POST .*\/retry begins one again/);
  expect(await told()).toBe('everpost: nothing waited in this burst\n');
});

test('a start that is on its way does not open again what is terminated', async () => {
  const { webhookDelivery } = await newRows();
  await row(
    em,
    sql`insert into outbox (workflow_id, message, project_id, due_at)
        values (${`webhook/${webhookDelivery}`}, '{"kind":"start","workflowType":"webhookDelivery"}', ${project.id}, now() + interval '1 hour')`,
  );
  expect(await json('workflow', 'terminate', webhookDelivery)).toMatchObject({ status: 'failed' });
  expect(await row(em, sql`select 1 from outbox where workflow_id = ${`webhook/${webhookDelivery}`}`)).toBeUndefined();
});

test.each([
  [['workflow', 'retry', 'ada'], 2, /"ada" is not the id/],
  [['workflow', 'terminate', 'enrollment/ada'], 2, /"enrollment\/ada" is not the id/],
  [['workflow', 'retry'], 2, /takes 1 argument/],
  [['workflow', 'retry', '01990000-0000-7000-8000-000000000000'], 1, /no enrollment, campaign, delivery or endpoint has the id 01990000/],
  [
    ['workflow', 'terminate', '01990000-0000-7000-8000-000000000000'],
    1,
    /no enrollment, campaign, delivery or endpoint has the id 01990000/,
  ],
])('%j ends with %d and says what is wrong', async (args, expected, message) => {
  const { code, stdout, stderr } = await admin(args);
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('without a Temporal server it says what is wrong in one line', async () => {
  const nobody = await admin(['workflow', 'stuck'], { TEMPORAL_ADDRESS: '127.0.0.1:1' }, adminProgram);
  expect(nobody).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^everpost: Temporal at 127\.0\.0\.1:1 .*cannot be reached.*\n$/),
  });
  const unset = await admin(['workflow', 'stuck'], { TEMPORAL_ADDRESS: '' });
  expect(unset).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^everpost: TEMPORAL_ADDRESS is not set.*\n$/) });
  const noNamespace = await admin(['workflow', 'stuck'], { TEMPORAL_NAMESPACE: 'nowhere' });
  expect(noNamespace).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^everpost: Temporal at .*"nowhere".*\n$/) });
});
