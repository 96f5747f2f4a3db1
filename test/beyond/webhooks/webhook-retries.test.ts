import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { retryWorkflowId } from '../../../workflows/contracts.ts';
import { eventually } from '../../support/eventually.ts';
import { failedDeliveries } from '../../support/failed-deliveries.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database, newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { deliveriesOf } from '../../support/webhook-endpoints.ts';
import { stateOf } from '../../support/webhooks.ts';

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const PATIENCE = { timeoutMs: 60_000 };
/** More than two portions. */
const MANY = 450;

test('all that has failed is attempted again, each once, and the retry says how far it is', async () => {
  const { id, project, path, latest, begin } = await failedDeliveries(receiver, '/all', MANY);
  expect(await latest()).toEqual({ ok: true, failed: MANY, waiting: 0, retry: null });
  const { retry } = must(await begin(), 201);
  expect(retry).toMatchObject({
    status: 'running',
    event_type: null,
    from: null,
    to: null,
    total: MANY,
    retried: 0,
    delivered: 0,
    ended_at: null,
  });
  expect(retry.workflow_id).toBe(retryWorkflowId(retry.id));
  const ended = await eventually(async () => {
    const seen = await latest();
    return seen.retry?.status === 'completed' && seen.failed === 0 && seen;
  }, PATIENCE);
  expect(ended.retry).toMatchObject({ id: retry.id, total: MANY, retried: MANY, ended_at: expect.any(String) });
  await eventually(async () => (await deliveriesOf(project, id, 'status=pending&limit=1')).length === 0, PATIENCE);
  const calls = receiver.calls(path).map(({ headers }) => headers['webhook-id']);
  expect([calls.length, new Set(calls).size]).toEqual([MANY, MANY]);
  expect((await latest()).retry).toMatchObject({ delivered: MANY, failed_again: 0 });
  const [delivery] = await deliveriesOf(project, id, 'limit=1');
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, attempt_log: [{ series: 2, number: 1, status: 200 }] });
  const handle = (await temporalClient()).workflow.getHandle(retry.workflow_id);
  expect(await handle.result()).toBe(`${MANY} of ${MANY} begun again`);
});

test('only what is asked for is begun again, and what fails again is not begun once more', async () => {
  const { id, project, path, latest, begin } = await failedDeliveries(receiver, '/some', 40);
  receiver.answer(path, 200, ...Array(100).fill(500));
  const oldest = (await deliveriesOf(project, id)).at(-1);
  const counted = must(await project.api.get(`/webhooks/${id}/retries/latest?eventType=email.bounced`), 200);
  expect(counted.failed).toBe(4);
  const to = new Date(Date.parse(oldest.created_at) + 25_000).toISOString();
  const { retry } = must(await begin({ eventType: 'email.bounced', to }), 201);
  expect(retry).toMatchObject({ total: 2, event_type: 'email.bounced', to });
  await eventually(async () => (await latest()).retry?.status === 'completed', PATIENCE);
  await eventually(async () => (await latest()).failed === 39, PATIENCE);
  expect((await latest()).retry).toMatchObject({ retried: 2, delivered: 1, failed_again: 1 });
  expect(receiver.calls(path)).toHaveLength(1 + 6);
  expect(receiver.calls(path).map(({ body }) => JSON.parse(body).type)).toEqual(Array(7).fill('email.bounced'));
});

test('a second one is refused while one runs, a disabled endpoint holds it, and enabling lets it go on', async () => {
  const { id, project, path, latest, begin } = await failedDeliveries(receiver, '/held', 3);
  const enable = async (enabled: boolean) => must(await project.api.call('PATCH', `/webhooks/${id}`, { enabled }), 200);
  await enable(false);
  const { retry } = must(await begin(), 201);
  const client = await temporalClient();
  await eventually(async () => (await stateOf(client, retry.workflow_id).catch(() => undefined)) === 'held', PATIENCE);
  const second = await begin({ eventType: 'email.bounced' });
  expect([second.status, second.body.code]).toEqual([422, 'invalid_status']);
  expect((await latest()).failed).toBe(3);
  await enable(true);
  await eventually(async () => (await latest()).retry?.status === 'completed', PATIENCE);
  await eventually(() => receiver.calls(path).length === 3, PATIENCE);
});

test('while a thousand attempts wait for the endpoint no more are begun again, and a cancellation leaves the rest failed', async () => {
  const { id, path, latest, begin } = await failedDeliveries(receiver, '/crowded', 1_500);
  const gate = Promise.withResolvers<void>();
  receiver.holdUp(path, gate.promise);
  const { retry } = must(await begin(), 201);
  const client = await temporalClient();
  await eventually(async () => (await stateOf(client, retry.workflow_id).catch(() => undefined)) === 'waiting', PATIENCE);
  const { retry: seen, failed } = await latest();
  expect(seen?.retried).toBeGreaterThanOrEqual(1_000);
  expect(failed).toBe(1_500 - (seen?.retried as number));
  expect(failed).toBeGreaterThan(0);
  await client.workflow.getHandle(retry.workflow_id).cancel();
  await eventually(async () => (await latest()).retry?.status === 'cancelled', PATIENCE);
  gate.resolve();
  const em = await database();
  await eventually(async () => {
    const open = await row(em, sql`select 1 from webhook_deliveries where endpoint_id = ${id} and status = 'pending' limit 1`);
    return open === undefined;
  }, PATIENCE);
  expect((await latest()).failed).toBe(failed);
});

test('nobody else may ask for it: not another project, and no key without the scope', async () => {
  const { id, project } = await failedDeliveries(receiver, '/foreign', 1);
  const other = await newProject();
  const reader = await project.newKey(['contacts:read']);
  const answers = [
    await other.api.post(`/webhooks/${id}/retries`),
    await other.api.get(`/webhooks/${id}/retries/latest`),
    await reader.api.post(`/webhooks/${id}/retries`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 403]);
  expect(receiver.calls('/foreign')).toHaveLength(0);
});
