import type { Client, WorkflowHandle } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookDelivery } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { type OfEachType, openRows, workflowIds } from '../support/open-rows.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { settled, standing } from '../support/row-standing.ts';
import { newSequence, type TestSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { expectArrivedAsCounted, newEndpoint, rowInBurst, stateOf, withoutBurst } from '../support/webhooks.ts';

let everpost: Everpost;
let receiver: HttpReceiver;
let em: EntityManager;
let client: Client;
let project: TestProject;
let sequence: TestSequence;

/** An action over runs waits for nothing: enrollment-actions.test.ts has it. */
type Lasting = Omit<OfEachType<string>, 'enrollmentAction'>;

const WAITING: Lasting = {
  enrollment: 'waiting',
  campaign: 'waiting',
  webhookDelivery: 'held',
  webhookBurst: 'held',
  webhookRetry: 'held',
  bulkEnrollment: 'held',
  scheduledSends: 'waiting',
  domainCheck: 'waiting',
  confirmation: 'waiting',
  contactImport: 'paused',
};
const OPEN: Lasting = {
  enrollment: 'active null',
  campaign: 'scheduled null',
  webhookDelivery: 'pending',
  webhookBurst: 'pending in the burst',
  webhookRetry: 'running',
  bulkEnrollment: 'running',
  scheduledSends: 'waiting',
  domainCheck: 'pending',
  confirmation: 'waiting',
  contactImport: 'paused',
};

beforeAll(async () => {
  receiver = await startHttpReceiver();
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  client = await temporalClient(everpost.namespace);
  project = await newProject({ everpost });
  sequence = await newSequence(project);
});
afterAll(async () => {
  await everpost?.stop();
  await receiver?.close();
});

/** Rows of each type that stay open as long as the test lasts; their workflows do not exist yet. */
async function lastingRows(): Promise<OfEachType<string>> {
  const ids = await openRows({ em, project, sequence });
  await row(em, sql`update campaigns set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = ${ids.campaign}`);
  await row(em, sql`update webhook_endpoints set enabled = false where project_id = ${project.id}`);
  return ids;
}

function lasting({ enrollmentAction: _, ...others }: OfEachType<string>): Lasting {
  return others;
}

/** How those that last stand. */
const standingOf = async (ids: OfEachType<string>): Promise<Lasting> => lasting(await standing(em, ids));

function handles(ids: OfEachType<string>): WorkflowHandle[] {
  return Object.values(lasting(workflowIds(ids))).map((id) => client.workflow.getHandle(id));
}

/** The workflows of these rows have come to where they wait. */
async function wait(ids: OfEachType<string>): Promise<void> {
  for (const type of Object.keys(WAITING) as (keyof Lasting)[])
    await eventually(async () => (await stateOf(client, workflowIds(ids)[type])) === WAITING[type]);
}

test('what an operator does to each type of workflow while nobody works stands in its row when a worker is back', async () => {
  const [terminated, cancelled, reset] = [await lastingRows(), await lastingRows(), await lastingRows()];
  await reconcileNow(client);
  for (const ids of [terminated, cancelled, reset]) await wait(ids);
  await everpost.kill();
  for (const handle of handles(terminated)) await handle.terminate();
  for (const handle of handles(cancelled)) await handle.cancel();
  for (const { workflowId } of handles(reset)) await resetWorkflow(client, workflowId);
  await everpost.start();
  await eventually(
    async () => {
      // A cancelled workflow ends its row by itself; what is terminated waits for the next pass.
      expect(await standingOf(cancelled)).toEqual(lasting(settled('cancelled')));
      return true;
    },
    { timeoutMs: 30_000 },
  );
  await eventually(
    async () => {
      await reconcileNow(client);
      expect(await standingOf(terminated)).toEqual(lasting(settled('terminated')));
      return true;
    },
    { timeoutMs: 30_000 },
  );
  await wait(reset);
  expect(await standingOf(reset)).toEqual(OPEN);
  // Too late: reset after its row has ended, a workflow ends as well.
  for (const { workflowId } of handles(terminated)) await resetWorkflow(client, workflowId);
  // But for those of scheduled mails, which wait for days, and of a domain, which is looked after.
  const { scheduledSends: _, domainCheck: __, ...ending } = lasting(workflowIds(terminated));
  for (const workflowId of Object.values(ending)) await client.workflow.getHandle(workflowId).result();
  expect(await standingOf(terminated)).toEqual(lasting(settled('terminated')));
});

test('each type of row whose workflow is deleted gets another, which goes on where it stood', async () => {
  const ids = await lastingRows();
  await reconcileNow(client);
  await wait(ids);
  for (const { workflowId } of handles(ids))
    await client.workflowService.deleteWorkflowExecution({ namespace: everpost.namespace, workflowExecution: { workflowId } });
  const isGone = (handle: WorkflowHandle) =>
    handle.describe().then(
      () => false,
      () => true,
    );
  for (const handle of handles(ids)) await eventually(() => isGone(handle));
  await reconcileNow(client);
  for (const handle of handles(ids)) await eventually(async () => !(await isGone(handle)));
  await wait(ids);
  expect(await standingOf(ids)).toEqual(OPEN);
});

test.each([
  ['the endpoint says that it has one', true, 0],
  ['deliveries wait in it', false, 2],
  ['it says so and deliveries wait', true, 2],
])('a burst that is lost, where %s, is made good', async (_what, hasBurst, waiting) => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: hasBurst } });
  for (let each = 0; each < waiting; each++) await rowInBurst(em, endpoint);
  await reconcileNow(client);
  if (waiting > 0) expectArrivedAsCounted(await endpoint.all(waiting, 'delivered'), endpoint.calls());
  await withoutBurst(client, endpoint);
});

test('where a burst has ended and something waits all the same, it is started again and nothing fails', async () => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  await reconcileNow(client);
  await withoutBurst(client, endpoint);
  // As by a worker that was frozen and comes back.
  await endpoint.change({ has_lane: true });
  await endpoint.happens(2);
  expect(await endpoint.deliveries()).toMatchObject([{ in_lane: true }, { in_lane: true }]);
  await reconcileNow(client);
  expectArrivedAsCounted(await endpoint.all(2, 'delivered'), endpoint.calls());
  await withoutBurst(client, endpoint);
});

test('a delivery whose start is lost gets its workflow', async () => {
  const endpoint = await newEndpoint(receiver, { everpost });
  await rowInBurst(em, endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false });
  await reconcileNow(client);
  expectArrivedAsCounted(await endpoint.all(1, 'delivered'), endpoint.calls());
});

test('the embedded server keeps closed workflows for a week, so that reconcile reads how they ended after days in which nothing ran', async () => {
  const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(7 * 86_400);
});
