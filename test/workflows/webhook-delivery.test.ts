import type { Client } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint } from '../../db/entities/index.ts';
import { MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { must } from '../support/sequences.ts';
import { readable, tell, temporalClient, workflowHistory } from '../support/temporal.ts';
import { deliveryHandle, expectArrivedAsCounted, newEndpoint, stateOf, type TestEndpoint } from '../support/webhooks.ts';

let receiver: HttpReceiver;
let client: Client;
/** So that a delivery waits in its timer as long as the test looks at it. */
const IN_AN_HOUR = { status: 503, headers: { 'retry-after': '3600' } };

beforeAll(async () => {
  receiver = await startHttpReceiver();
  client = await temporalClient();
});
afterAll(() => receiver?.close());

/** A delivery whose first attempt was refused, and that waits an hour for its second. */
async function waitingDelivery(endpoint: TestEndpoint): Promise<WebhookDeliveryRow> {
  receiver.answer(endpoint.path, IN_AN_HOUR);
  await endpoint.happens();
  const delivery = await endpoint.becomes(({ attempts }) => attempts === 1);
  await eventually(async () => (await stateOf(client, `webhook/${delivery.id}`)) === 'retrying');
  return delivery;
}

test('an event arrives signed, and its delivery is recorded', async () => {
  const endpoint = await newEndpoint(receiver);
  await endpoint.happens();
  const delivery = await endpoint.becomes(({ status }) => status === 'delivered');
  const [call, ...more] = endpoint.calls();
  expect(more).toEqual([]);
  const body = new Webhook(endpoint.secret).verify(call!.body, call!.headers as Record<string, string>) as Record<string, unknown>;
  expect(body).toMatchObject({ id: delivery.event_id, type: 'contact.subscribed', data: { status: 'subscribed' } });
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200 });
  expect(delivery.attempt_log).toMatchObject([{ series: 1, number: 1, status: 200, error: null }]);
});

test('a refused event is attempted again until it is taken, with the same id and body', async () => {
  const endpoint = await newEndpoint(receiver);
  receiver.answer(endpoint.path, 500, 503);
  await endpoint.happens();
  const delivery = await endpoint.becomes(({ status }) => status === 'delivered');
  expect(endpoint.calls()).toHaveLength(3);
  expectArrivedAsCounted([delivery], endpoint.calls());
  expect(delivery.attempt_log.map(({ number, status }) => [number, status])).toEqual([
    [1, 500],
    [2, 503],
    [3, 200],
  ]);
});

test('an event that is refused six times is failed', async () => {
  const endpoint = await newEndpoint(receiver);
  receiver.answer(endpoint.path, 500, 404, 410, 429, 503, 500);
  await endpoint.happens();
  const delivery = await endpoint.becomes(({ status }) => status === 'failed', { timeoutMs: 60_000 });
  expect(endpoint.calls()).toHaveLength(6);
  expectArrivedAsCounted([delivery], endpoint.calls());
});

test('many events at once go through the burst of their endpoint, each once, and over connections that are kept', async () => {
  const endpoint = await newEndpoint(receiver);
  await endpoint.happens(600);
  expectArrivedAsCounted(await endpoint.all(600, 'delivered'), endpoint.calls());
  expect(endpoint.calls()).toHaveLength(600);
  expect(endpoint.calls().every(({ headers }) => headers.connection === 'keep-alive')).toBe(true);
  await eventually(async () => !(await endpoint.row()).has_lane);
});

test('a Retry-After that is longer than the planned wait is waited for', async () => {
  const endpoint = await newEndpoint(receiver);
  const { next_attempt_at, attempt_log } = await waitingDelivery(endpoint);
  const wait = next_attempt_at.getTime() - Date.parse(attempt_log[0]!.at);
  expect(wait).toBeGreaterThanOrEqual(3_600_000);
  expect(wait).toBeLessThan(3_700_000);
});

test('a redirect is a failure, and is not followed', async () => {
  const endpoint = await newEndpoint(receiver);
  const elsewhere = `/elsewhere-${endpoint.id}`;
  const headers = { location: `${receiver.url}${elsewhere}` };
  receiver.answer(endpoint.path, { status: 301, headers }, { status: 302, headers }, { status: 307, headers }, { status: 308, headers });
  await endpoint.happens();
  const { attempt_log } = await endpoint.becomes(({ status }) => status === 'delivered');
  expect(attempt_log.map(({ status }) => status)).toEqual([301, 302, 307, 308, 200]);
  expect(receiver.calls(elsewhere)).toEqual([]);
});

test('while its endpoint is disabled a delivery holds, for all to see, and nothing new is written; enabled again it goes on', async () => {
  const endpoint = await newEndpoint(receiver);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, mayAnswer);
  receiver.answer(endpoint.path, 500);
  await endpoint.happens();
  await eventually(() => endpoint.calls().length === 1);
  await endpoint.change({ enabled: false });
  answer();
  const { id } = await endpoint.becomes(({ attempts }) => attempts === 1);
  await eventually(async () => (await stateOf(client, `webhook/${id}`)) === 'held');
  expect(readable(await workflowHistory(client, `webhook/${id}`))).toContain('held: the endpoint is disabled');
  await endpoint.happens();
  expect(await endpoint.deliveries()).toMatchObject([{ id, status: 'pending', attempts: 1 }]);
  // Asked to go on while it is disabled, it makes no attempt.
  await deliveryHandle(client, { id }).signal(RETRY_NOW_SIGNAL);
  await eventually(async () => readable(await workflowHistory(client, `webhook/${id}`)).split('held: the endpoint is disabled').length > 2);
  expect(endpoint.calls()).toHaveLength(1);
  await endpoint.change({ enabled: true });
  await tell(client, `webhook/${id}`, CHANGED_SIGNAL);
  await endpoint.becomes(({ status }) => status === 'delivered');
  expect(endpoint.calls()).toHaveLength(2);
});

test('a delivery in its timer ends as dropped when its endpoint is deleted, and makes no call afterwards', async () => {
  const endpoint = await newEndpoint(receiver);
  const delivery = await waitingDelivery(endpoint);
  await (await database()).nativeDelete(WebhookEndpoint, { id: endpoint.id });
  await deliveryHandle(client, delivery).signal(CHANGED_SIGNAL);
  expect(await deliveryHandle(client, delivery).result()).toBe('Dropped: its endpoint was deleted');
  expect(endpoint.calls()).toHaveLength(1);
});

test('retryNow makes the next attempt at once', async () => {
  const endpoint = await newEndpoint(receiver);
  const delivery = await waitingDelivery(endpoint);
  const timers = async (): Promise<number> => {
    const { events } = await workflowHistory(client, `webhook/${delivery.id}`);
    return events.filter(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED').length;
  };
  const before = await eventually(timers);
  await deliveryHandle(client, delivery).signal(CHANGED_SIGNAL);
  // Any other change leaves it waiting.
  await eventually(async () => (await timers()) > before);
  expect(endpoint.calls()).toHaveLength(1);
  await deliveryHandle(client, delivery).signal(RETRY_NOW_SIGNAL);
  expect(await endpoint.becomes(({ status }) => status === 'delivered')).toMatchObject({ attempts: 2 });
  expect(await deliveryHandle(client, delivery).result()).toBe('Delivered. Attempt 2 of 6: answered 200');
});

test('a delivery whose workflow is cancelled fails at once', async () => {
  const endpoint = await newEndpoint(receiver);
  const delivery = await waitingDelivery(endpoint);
  await deliveryHandle(client, delivery).cancel();
  await expect(deliveryHandle(client, delivery).result()).rejects.toThrow();
  expect(await endpoint.deliveries()).toMatchObject([{ status: 'failed', attempts: 1 }]);
});

test('a delivery that is cancelled while its call is in flight counts that call, and is delivered if it was taken', async () => {
  const endpoint = await newEndpoint(receiver);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, mayAnswer);
  await endpoint.happens();
  await eventually(() => endpoint.calls().length === 1);
  const [delivery] = await endpoint.deliveries();
  await deliveryHandle(client, delivery!).cancel();
  await endpoint.becomes(({ status }) => status === 'failed');
  answer();
  const after = await endpoint.becomes(({ status }) => status === 'delivered');
  expectArrivedAsCounted([after], endpoint.calls());
});

test('a delivery whose workflow is terminated has failed after a pass of reconcile', async () => {
  const endpoint = await newEndpoint(receiver);
  const delivery = await waitingDelivery(endpoint);
  await deliveryHandle(client, delivery).terminate();
  await eventually(
    async () => {
      await reconcileNow(client);
      return (await endpoint.deliveries())[0]?.status === 'failed';
    },
    { timeoutMs: 90_000 },
  );
  expect(endpoint.calls()).toHaveLength(1);
});

test('a delivery that is reset while it waits repeats nothing and goes on waiting', async () => {
  const endpoint = await newEndpoint(receiver);
  const delivery = await waitingDelivery(endpoint);
  const { runId } = await deliveryHandle(client, delivery).describe();
  await resetWorkflow(client, `webhook/${delivery.id}`);
  await eventually(async () => {
    const { events } = await workflowHistory(client, `webhook/${delivery.id}`);
    return (await deliveryHandle(client, delivery).describe()).runId !== runId && events.at(-1)?.eventType === 'EVENT_TYPE_TIMER_STARTED';
  });
  expect(await endpoint.deliveries()).toEqual([delivery]);
  expect(endpoint.calls()).toHaveLength(1);
  await deliveryHandle(client, delivery).signal(RETRY_NOW_SIGNAL);
  await endpoint.becomes(({ status }) => status === 'delivered');
  expect(endpoint.calls()).toHaveLength(2);
});

test('a delivery that is reset after its end stays as it was and makes no call', async () => {
  const endpoint = await newEndpoint(receiver);
  await endpoint.happens();
  const delivery = await endpoint.becomes(({ status }) => status === 'delivered');
  await deliveryHandle(client, delivery).result();
  await resetWorkflow(client, `webhook/${delivery.id}`);
  expect(await deliveryHandle(client, delivery).result()).toBe('Delivered');
  expect(await endpoint.deliveries()).toEqual([delivery]);
  expect(endpoint.calls()).toHaveLength(1);
});

test('a delivery that is begun again while its workflow makes the last attempt of before goes on in that workflow', async () => {
  const endpoint = await newEndpoint(receiver);
  const { id } = await waitingDelivery(endpoint);
  const em = await database();
  await em.nativeUpdate(WebhookDelivery, { id }, { attempts: MOST_ATTEMPTS - 1 });
  const handle = client.workflow.getHandle(`webhook/${id}`, (await deliveryHandle(client, { id }).describe()).runId);
  const gate = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, gate.promise);
  receiver.answer(endpoint.path, 500);
  await handle.signal(RETRY_NOW_SIGNAL);
  await eventually(() => endpoint.calls().length === 2);
  // As by a command of an operator, who then has it begun again.
  await em.nativeUpdate(WebhookDelivery, { id }, { status: 'failed' });
  must(await endpoint.project.api.post(`/webhooks/${endpoint.id}/deliveries/${id}/retry`), 200);
  // The workflow has read the signal before it is told how the attempt ended.
  await eventually(async () => {
    const { events } = await workflowHistory(client, `webhook/${id}`);
    const signal = events.findLastIndex((event) => readable({ events: [event] }).includes(`"${CHANGED_SIGNAL}"`));
    return signal >= 0 && events.slice(signal).some(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED');
  });
  gate.resolve();
  expect(await handle.result()).toBe('Delivered. Attempt 1 of 6: answered 200');
  expect(await endpoint.deliveries()).toMatchObject([{ status: 'delivered', series: 2, attempts: 1 }]);
});

/** A delivery that was reset while its first call had no answer, as soon as its second call has come; neither is answered before its promise. */
async function resetInFlight(endpoint: TestEndpoint, first: Promise<void>, second: Promise<void>): Promise<string> {
  receiver.holdUp(endpoint.path, first);
  // So many that one is in flight long enough for its task to be told done: an endpoint that hangs gets few attempts within tasks.
  await endpoint.happens(5);
  const queued = await eventually(async () => {
    for (const { id } of await endpoint.deliveries()) {
      const { events } = await workflowHistory(client, `webhook/${id}`);
      if (events.some(({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')) return id;
    }
    return false;
  });
  const callsAre = (count: number) =>
    eventually(() => endpoint.calls().filter(({ headers }) => headers['webhook-id'] === queued).length === count);
  await callsAre(1);
  receiver.holdUp(endpoint.path, second);
  await resetWorkflow(client, `webhook/${queued}`);
  await callsAre(2);
  return queued;
}

test.each(['before', 'after'])(
  'a delivery that is reset while its call is in flight counts it and the next; an answer that comes late is kept, %s the next one',
  async (order) => {
    const endpoint = await newEndpoint(receiver);
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const [earlier, later] = order === 'before' ? [first, second] : [second, first];
    const queued = await resetInFlight(endpoint, first.promise, second.promise);
    const found = async () => (await endpoint.deliveries()).find(({ id }) => id === queued)!;
    earlier.resolve();
    await eventually(async () => (await found()).status === 'delivered');
    later.resolve();
    const { attempt_log, next_attempt_at } = await eventually(async () => {
      const delivery = await found();
      return delivery.attempts === 2 && delivery.attempt_log.every(({ status }) => status !== null) && delivery;
    });
    expectArrivedAsCounted(await endpoint.all(5, 'delivered'), endpoint.calls());
    expect(attempt_log.map(({ number, status, error }) => [number, status, error])).toEqual([
      [1, 200, null],
      [2, 200, null],
    ]);
    expect(next_attempt_at).toEqual(new Date(attempt_log[1]!.at));
  },
);
