import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createReconcileActivities, type ReconcileActivities } from '../../activities/reconcile.ts';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { registerSearchAttributes } from '../../platform/temporal/search-attributes.ts';
import { CHANGED_SIGNAL, type KnownPasses } from '../../workflows/contracts.ts';
import { closedWorkflow, type Ending } from '../support/closed-workflow.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type OfEachType, openRows, TYPES, workflowIds } from '../support/open-rows.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { settled, standing } from '../support/row-standing.ts';
import { newSequence, type TestSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

/** Every type of workflow that has rows, in every way in which it may be lost; the passes are the test's own. */
let everpost: Everpost;
let orm: MikroORM;
let em: EntityManager;
let client: Client;
let project: TestProject;
let sequence: TestSequence;
let known: KnownPasses | undefined;

const DAY_MS = 86_400_000;

/** When the first pass comes after a workflow was lost. */
const WHEN = [
  ['in the next minute', 60_000],
  ['after a day without workers', DAY_MS],
] as const;

beforeAll(async () => {
  everpost = await startEverpost({ worker: false });
  orm = await openDatabase({ url: everpost.databaseUrl, poolSize: 4, applicationName: 'everpost-test-reconcile' });
  em = await database(everpost.databaseUrl);
  client = await temporalClient(everpost.namespace);
  // So that the API, which brings starts to Temporal as well as a worker does, can.
  await registerSearchAttributes(client.connection, everpost.namespace);
  project = await newProject({ everpost });
  sequence = await newSequence(project);
});

afterAll(async () => {
  await orm?.close();
  await everpost?.stop();
});

beforeEach(async () => {
  known = undefined;
  for (const table of ['enrollments', 'campaigns', 'webhook_deliveries', 'webhook_endpoints', 'outbox', 'reconcile_progress'])
    await rows(em, sql`delete from ${sql.table(table)}`);
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
};

/** `inMs`: by so much later than now. Without `batchSize` open rows are compared as well, else only closed workflows are listed. */
async function pass(
  inMs: number,
  options: { readonly batchSize?: number; readonly client?: Client } = {},
): ReturnType<ReconcileActivities['reconcileRows']> {
  const now = () => new Date(Date.now() + inMs);
  const done = await createReconcileActivities({
    metrics: createMetrics(),
    orm,
    client,
    log: createLogger('silent', {}),
    now,
    newId: uuidv7,
    ...options,
  }).reconcileRows(known);
  // As its workflow remembers it.
  known = { ended: done.pass, begun: done.pass };
  return done;
}

/** So that only the list of closed workflows can tell. */
const NO_BATCH = { batchSize: 0 };

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
