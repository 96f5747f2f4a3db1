import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReconcileActivities } from '../../activities/reconcile.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findProgress } from '../../db/queries/operations/reconcile-progress.ts';
import { row, rows } from '../../db/rows.ts';
import { registerSearchAttributes } from '../../platform/temporal/search-attributes.ts';
import { CHANGED_SIGNAL, enrollmentWorkflowId, type KnownPasses } from '../../workflows/contracts.ts';
import { closedWorkflow, type Ending } from '../support/closed-workflow.ts';
import { eventually } from '../support/eventually.ts';
import { type OfEachType, openRows, TYPES, workflowIds } from '../support/open-rows.ts';
import type { TestProject } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { settled, standing } from '../support/row-standing.ts';
import { enrollmentOf, type TestSequence } from '../support/sequences.ts';
import { DAY_MS, NO_BATCH, type ReconcileAlone, reconcileAlone, refusing } from './reconcile-alone.ts';

/** Every type of workflow that has rows, in every way in which it may be lost; the passes are the test's own. */
let alone: ReconcileAlone;
let em: EntityManager;
let client: Client;
let project: TestProject;
let sequence: TestSequence;
let known: KnownPasses | undefined;

/** When the first pass comes after a workflow was lost. */
const WHEN = [
  ['in the next minute', 60_000],
  ['after a day without workers', DAY_MS],
] as const;

beforeAll(async () => {
  alone = await reconcileAlone();
  ({ em, client, project, sequence } = alone);
  // So that the API, which brings starts to Temporal as well as a worker does, can.
  await registerSearchAttributes(client.connection, alone.namespace);
});

afterAll(() => alone?.stop());

beforeEach(async () => {
  known = undefined;
  await alone.empty();
});

async function closeAll(ids: OfEachType<string>, ending: Ending): Promise<void> {
  const named = workflowIds(ids);
  await Promise.all(TYPES.map((type) => closedWorkflow(client, type, named[type], ending)));
}

/** Waits until the list of workflows, which is behind, shows so many closed runs of each. */
async function listedAsClosed(ids: OfEachType<string>, runs = 1): Promise<void> {
  const named = Object.values(workflowIds(ids)).map((id) => `"${id}"`);
  const query = `WorkflowId IN (${named.join(', ')}) AND ExecutionStatus != "Running"`;
  await eventually(async () => (await client.workflow.count(query)).count === runs * TYPES.length);
}

const OPEN: OfEachType<string> = {
  enrollment: 'active null',
  campaign: 'queued null',
  webhookDelivery: 'pending',
  webhookBurst: 'pending in the burst',
  webhookRetry: 'running',
  bulkEnrollment: 'running',
  enrollmentAction: 'running',
  scheduledSends: 'waiting',
  domainCheck: 'pending',
  confirmation: 'waiting',
  contactImport: 'paused',
};

/** `inMs`: by so much later than now. Without `batchSize` open rows are compared as well, else only closed workflows are listed. */
async function pass(
  inMs: number,
  options: { readonly batchSize?: number; readonly client?: Client } = {},
): ReturnType<ReconcileActivities['reconcileRows']> {
  const now = () => new Date(Date.now() + inMs);
  const done = await alone.reconciling({ now, ...options }).reconcileRows(known);
  // As its workflow remembers it.
  known = { ended: done.pass, begun: done.pass };
  return done;
}

const ENDINGS = [
  ['terminated', 'terminated'],
  ['failed', 'failed'],
  ['timed_out', 'failed'],
] as const;

test.each(WHEN.flatMap(([when, inMs]) => ENDINGS.map(([ending, reason]) => ({ when, inMs, ending, reason }))))(
  'each type of row whose workflow has $ending is settled by the first pass $when, however many rows are open',
  async ({ inMs, ending, reason }) => {
    await pass(0, NO_BATCH);
    const ids = await openRows({ em, project, sequence });
    await closeAll(ids, ending);
    await listedAsClosed(ids);
    expect(await pass(inMs, NO_BATCH)).toMatchObject({ settled: TYPES.length, started: 0, failed: 0 });
    expect(await standing(em, ids)).toEqual(settled(reason));
    expect(await pass(inMs)).toMatchObject({ settled: 0, started: 0, failed: 0 });
  },
);

test('what an operator terminated is settled, of each type, before any open row is compared', async () => {
  await pass(0, NO_BATCH);
  const ids = await openRows({ em, project, sequence });
  const others = workflowIds(await openRows({ em, project, sequence }));
  await closeAll(ids, 'terminated');
  await listedAsClosed(ids);
  const seen: OfEachType<string>[] = [];
  const getHandle = (workflowId: string) => ({
    async describe() {
      if (Object.values(others).includes(workflowId)) seen.push(await standing(em, ids));
      return client.workflow.getHandle(workflowId).describe();
    },
  });
  const watched = Object.create(client, { workflow: { value: Object.create(client.workflow, { getHandle: { value: getHandle } }) } });
  await pass(0, { client: watched });
  expect(seen).toEqual(TYPES.map(() => settled('terminated')));
});

test('a signal that is on its way to a terminated workflow does not keep its row open', async () => {
  await pass(0);
  const ids = await openRows({ em, project, sequence });
  await closeAll(ids, 'terminated');
  // Not due, so that nobody brings it.
  const signal = { kind: 'signal', signal: CHANGED_SIGNAL };
  for (const workflowId of Object.values(workflowIds(ids)))
    await rows(
      em,
      sql`insert into outbox (workflow_id, message, priority, project_id, due_at)
          values (${workflowId}, ${JSON.stringify(signal)}::jsonb, 5, ${project.id}, now() + interval '1 hour')`,
    );
  expect(await pass(0)).toMatchObject({ settled: TYPES.length });
  expect(await standing(em, ids)).toEqual(settled('terminated'));
});

test.each(WHEN)('each type of row whose workflow was closed as cancelled without it is settled %s', async (_when, inMs) => {
  await pass(0);
  const ids = await openRows({ em, project, sequence });
  await closeAll(ids, 'cancelled');
  expect(await pass(inMs)).toMatchObject({ settled: TYPES.length, started: 0, failed: 0 });
  expect(await standing(em, ids)).toEqual(settled('cancelled'));
});

test.each(WHEN)(
  'of workflows that completed without their rows what can send twice is settled %s, and what cannot is started',
  async (_when, inMs) => {
    await pass(0);
    const ids = await openRows({ em, project, sequence });
    await closeAll(ids, 'completed');
    expect(await pass(inMs)).toMatchObject({ settled: TYPES.length, started: 0, failed: 0 });
    expect(await standing(em, ids)).toEqual({ ...OPEN, enrollment: 'cancelled terminated', campaign: 'cancelled terminated' });
    const { webhookDelivery, webhookBurst } = workflowIds(ids);
    for (const id of [webhookDelivery, webhookBurst])
      await eventually(async () => (await client.workflow.getHandle(id).describe()).status.name === 'RUNNING');
  },
);

test.each(WHEN)(
  'each type of row whose failed workflow was reset stays open %s, and is settled when the reset one is terminated',
  async (_when, inMs) => {
    await pass(0, NO_BATCH);
    const ids = await openRows({ em, project, sequence });
    await closeAll(ids, 'failed');
    const handles = Object.values(workflowIds(ids)).map((id) => client.workflow.getHandle(id));
    await Promise.all(handles.map(({ workflowId }) => resetWorkflow(client, workflowId)));
    await listedAsClosed(ids);
    // By the list and by the batch.
    expect(await pass(inMs)).toMatchObject({ settled: 0, started: 0, failed: 0 });
    expect(await standing(em, ids)).toEqual(OPEN);
    // That pass ran by a clock that is ahead of Temporal's.
    await rows(em, sql`delete from reconcile_progress`);
    await Promise.all(handles.map((handle) => handle.terminate()));
    await listedAsClosed(ids, 2);
    expect(await pass(inMs, NO_BATCH)).toMatchObject({ settled: TYPES.length, started: 0, failed: 0 });
    expect(await standing(em, ids)).toEqual(settled('terminated'));
  },
);

test.each(WHEN)('each type of row whose workflow does not exist gets it %s, once', async (_when, inMs) => {
  await pass(0);
  const ids = await openRows({ em, project, sequence });
  expect(await pass(inMs)).toMatchObject({ settled: 0, started: TYPES.length, failed: 0 });
  for (const id of Object.values(workflowIds(ids)))
    await eventually(async () => (await client.workflow.getHandle(id).describe()).status.name === 'RUNNING');
  expect(await pass(inMs)).toMatchObject({ settled: 0, started: 0, failed: 0 });
  expect(await standing(em, ids)).toEqual(OPEN);
});

test('a contact whose run was terminated while no worker ran may enter again after the first pass', async () => {
  const id = await alone.closedRow('terminated');
  const { email } = (await row(
    em,
    sql<{ email: string }>`select c.email from contacts c join enrollments e on e.contact_id = c.id where e.id = ${id}`,
  ))!;
  const refused = await project.api.post(`/sequences/${sequence.key}/enroll`, { email });
  expect(refused.body).toMatchObject({ code: 'enroll_failed', reason: 'already_enrolled' });
  await alone.reconciling().reconcileRows();
  expect((await project.api.post(`/sequences/${sequence.key}/enroll`, { email })).status).toBe(200);
});

test('the step at which a run was terminated says so', async () => {
  const id = await alone.closedRow('terminated');
  await rows(em, sql`insert into enrollment_steps (enrollment_id, step, node_id, visit, kind) values (${id}, 0, 'pause', 1, 'wait_delay')`);
  await alone.reconciling().reconcileRows();
  const { body } = await project.api.get(`/enrollments/${id}`);
  expect(body.enrollment.steps).toMatchObject([{ node_id: 'pause', outcome: 'ended', detail: 'terminated' }]);
});

test('the watermark moves to some minutes before a pass that compared all, and never back', async () => {
  const at = new Date();
  const watermark = async () => (await findProgress(em.fork(), 'enrollment'))?.closed_until;
  await alone.reconciling({ now: () => at }).reconcileRows();
  expect(await watermark()).toEqual(new Date(at.getTime() - 600_000));
  await alone.reconciling({ now: () => new Date(at.getTime() - DAY_MS) }).reconcileRows();
  expect(await watermark()).toEqual(new Date(at.getTime() - 600_000));
});

test('a closed workflow that Temporal did not answer about is asked for again, however late', async () => {
  const [lost, other] = [await alone.closedRow('terminated'), await alone.closedRow('terminated')];
  await alone.listed(
    `WorkflowId IN ("${enrollmentWorkflowId(lost)}", "${enrollmentWorkflowId(other)}") AND ExecutionStatus = "Terminated"`,
    2,
  );
  const inAnHour = () => new Date(Date.now() + 3_600_000);
  const partly = alone.reconciling({
    ...NO_BATCH,
    now: inAnHour,
    client: refusing(client, (workflowId) => workflowId === enrollmentWorkflowId(lost)),
  });
  expect(await partly.reconcileRows()).toMatchObject({ settled: 1, started: 0, failed: 1 });
  expect(await enrollmentOf(em, lost)).toMatchObject({ status: 'active' });
  const later = alone.reconciling({ ...NO_BATCH, now: () => new Date(Date.now() + DAY_MS) });
  expect(await later.reconcileRows()).toMatchObject({ settled: 1, started: 0, failed: 0 });
  expect(await enrollmentOf(em, lost)).toMatchObject({ end_reason: 'terminated' });
});

test('the batch of open rows finds every end, also where the list of workflows says nothing', async () => {
  const endings: [Ending, string][] = [
    ['completed', 'terminated'],
    ['cancelled', 'cancelled'],
    ['terminated', 'terminated'],
    ['failed', 'failed'],
    ['timed_out', 'failed'],
  ];
  const closed = await Promise.all(endings.map(async ([ending, reason]) => ({ id: await alone.closedRow(ending), reason })));
  const open = await alone.openRow();
  const blind = Object.create(client, {
    workflow: { value: Object.create(client.workflow, { list: { value: async function* () {} } }) },
  });
  expect(await alone.reconciling({ client: blind }).reconcileRows()).toMatchObject({ settled: 5, started: 0, failed: 0 });
  for (const { id, reason } of closed) expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: reason });
  expect(await enrollmentOf(em, open)).toMatchObject({ status: 'active' });
});

test('a workflow of our type under a name that no row can have is none of ours', async () => {
  const foreign = await client.workflow.start('enrollment', { workflowId: 'enrollment/somebody', taskQueue: 'nobody' });
  await foreign.terminate();
  await alone.listed(`WorkflowId = "enrollment/somebody" AND ExecutionStatus = "Terminated"`, 1);
  await expect(alone.reconciling(NO_BATCH).reconcileRows()).resolves.toMatchObject({ settled: 0, started: 0, failed: 0 });
});
