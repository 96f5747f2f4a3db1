import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutboxMessage, WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookEvent } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { emit } from '../../db/queries/webhooks/emit.ts';
import { closeBurst, heldInBurst } from '../../db/queries/webhooks/webhook-attempts.ts';
import { leaveToBursts } from '../../db/queries/webhooks/webhook-starts.ts';
import { row } from '../../db/rows.ts';
import { failBurst } from '../../usecases/webhooks/fail-burst.ts';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL, SEARCH_ATTRIBUTES, TASK_QUEUES } from '../../workflows/contracts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { must } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';
import { burstHandle, deliveryHandle, expectArrivedAsCounted, newEndpoint, stateOf, type TestEndpoint } from '../support/webhooks.ts';

const BURST_AT = 20;
const WANTED = 'contact.subscribed';

let everpost: Everpost;
let receiver: HttpReceiver;
let client: Client;
let em: EntityManager;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  everpost = await startEverpost({ env: { WEBHOOK_BURST_AT: String(BURST_AT), WEBHOOK_ENDPOINT_CONCURRENCY: '1' } });
  client = await temporalClient(everpost.namespace);
  em = await database(everpost.databaseUrl);
});
afterAll(async () => {
  await everpost?.stop();
  await receiver?.close();
});

interface Held {
  readonly endpoint: TestEndpoint;
  letGo(): void;
}

/** An endpoint that answers nothing until it is let go. */
async function heldEndpoint(): Promise<Held> {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const endpoint = await newEndpoint(receiver, { everpost });
  receiver.holdUp(endpoint.path, promise);
  return { endpoint, letGo };
}

/** One whose burst works: `waiting` first attempts wait in it. */
async function heldBurst(waiting: number): Promise<Held> {
  const held = await heldEndpoint();
  await held.endpoint.happens(BURST_AT);
  await held.endpoint.happens(waiting);
  // It has begun attempts, and waits for a place to make them.
  await eventually(async () => (await heldInBurst(em.fork(), held.endpoint.id)).length > 0, { timeoutMs: 30_000 });
  return held;
}

async function isStarted(workflowId: string): Promise<boolean> {
  return client.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

/** A row that waits in the burst, and nothing else. */
async function rowInBurst({ id, project }: TestEndpoint): Promise<void> {
  const eventId = uuidv7();
  await em.insert(WebhookEvent, { id: eventId, project_id: project.id, type: WANTED, data: {} });
  await em.insert(WebhookDelivery, { id: uuidv7(), project_id: project.id, endpoint_id: id, event_id: eventId, in_lane: true });
}

/** Emits one event within the transaction. */
async function emitOne(tx: EntityManager, { project }: TestEndpoint): Promise<void> {
  await emit(tx, project.id, { type: WANTED, contact: { id: uuidv7(), status: 'subscribed' } as never });
}

async function withoutBurst(endpoint: TestEndpoint): Promise<void> {
  await eventually(async () => !(await endpoint.row()).has_lane);
  await burstHandle(client, endpoint).result();
}

test('up to the number of a burst each delivery has its workflow from the first attempt on, above it the burst makes it', async () => {
  const { endpoint, letGo } = await heldEndpoint();
  await endpoint.happens(BURST_AT);
  await endpoint.happens(5);
  const deliveries = await endpoint.deliveries();
  expect(deliveries.map(({ in_lane }) => in_lane)).toEqual([...Array(BURST_AT).fill(false), ...Array(5).fill(true)]);
  await eventually(async () =>
    (await Promise.all(deliveries.slice(0, BURST_AT).map(({ id }) => isStarted(`webhook/${id}`)))).every(Boolean),
  );
  await eventually(() => isStarted(`webhook-burst/${endpoint.id}`));
  letGo();
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 5, 'delivered'), endpoint.calls());
  await withoutBurst(endpoint);
  for (const { id } of deliveries.slice(BURST_AT)) expect(await isStarted(`webhook/${id}`)).toBe(false);
});

test('a burst keeps the order of creation, with no more calls at once than the endpoint may have', async () => {
  const { endpoint, letGo } = await heldBurst(300);
  const wanted = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane).map(({ id }) => id);
  expect(wanted).toHaveLength(300);
  letGo();
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 300, 'delivered'), endpoint.calls());
  const arrived = endpoint.calls().map(({ headers }) => headers['webhook-id']!);
  expect(arrived.filter((id) => wanted.includes(id))).toEqual(wanted);
  expect(receiver.mostAtOnce(endpoint.path)).toBe(1);
  await withoutBurst(endpoint);
});

test('a delivery whose first attempt fails in the burst gets its workflow, which starts at the second attempt', async () => {
  const { endpoint, letGo } = await heldBurst(3);
  receiver.answer(endpoint.path, ...Array(BURST_AT + 10).fill(503));
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane);
  letGo();
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 3, 'delivered'), endpoint.calls());
  for (const delivery of inBurst) {
    expect(await deliveryHandle(client, delivery).result()).toMatch(/^Delivered\. Attempt \d of 6: answered 200$/);
    const history = readable(await workflowHistory(client, `webhook/${delivery.id}`));
    expect(history).toContain('Attempt 2 of 6: answered');
    expect(history).not.toMatch(/"attempt 1 of 6\b/);
  }
  await withoutBurst(endpoint);
});

test('what a burst was refused stands before nobody: its workflow is started when the second attempt is due, or some seconds later', async () => {
  const { endpoint, letGo } = await heldBurst(3);
  receiver.answer(endpoint.path, ...Array(BURST_AT + 10).fill({ status: 503, headers: { 'retry-after': '600' } }));
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane);
  letGo();
  // The call that was held may have had no answer in time, and be made again soon.
  const wasInBurst = new Set(inBurst.map(({ id }) => id));
  const isRefused = ({ id, attempts }: { id: string; attempts: number }) => (wasInBurst.has(id) ? attempts === 1 : attempts >= 1);
  await eventually(async () => (await endpoint.deliveries()).every(isRefused), { timeoutMs: 60_000 });
  await withoutBurst(endpoint);
  const planned = new Map((await endpoint.deliveries()).map(({ id, next_attempt_at }) => [id, next_attempt_at.getTime()]));
  const spread: number[] = [];
  for (const { id } of inBurst) {
    const [start, ...more] = await em.fork().find(OutboxMessage, { workflow_id: `webhook/${id}` });
    expect(more).toEqual([]);
    expect(start).toMatchObject({ message: { kind: 'start' }, attempts: 0 });
    spread.push(start!.due_at.getTime() - planned.get(id)!);
    expect(start!.due_at.getTime()).toBeGreaterThan(Date.now() + 300_000);
    expect(await isStarted(`webhook/${id}`)).toBe(false);
  }
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...spread)).toBeGreaterThan(0);
  expect(Math.max(...spread)).toBeLessThanOrEqual(15_000);
});

test('of very many second attempts that are due together the burst makes most, each once and counted', async () => {
  const COUNT = 200;
  const { endpoint, letGo } = await heldBurst(COUNT);
  receiver.answer(endpoint.path, ...Array(BURST_AT + COUNT + 5).fill({ status: 503, headers: { 'retry-after': '600' } }));
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane);
  letGo();
  await eventually(async () => (await endpoint.deliveries()).every(({ attempts, in_lane }) => attempts >= 1 && !in_lane), {
    timeoutMs: 60_000,
  });
  await withoutBurst(endpoint);
  receiver.answer(endpoint.path);
  must(await endpoint.project.api.post(`/webhooks/${endpoint.id}/deliveries/attempt`), 200);
  expectArrivedAsCounted(await endpoint.all(BURST_AT + COUNT, 'delivered'), endpoint.calls());
  const made = await endpoint.deliveries();
  expect(made.filter(({ attempts }) => attempts > 2).length).toBeLessThanOrEqual(1);
  const started = await Promise.all(inBurst.map(({ id }) => isStarted(`webhook/${id}`)));
  expect(started.filter(Boolean).length).toBeLessThanOrEqual(COUNT / 2);
  await withoutBurst(endpoint);
  expect(await row(em.fork(), sql`select 1 from outbox where project_id = ${endpoint.project.id}`)).toBeUndefined();
});

test('a later attempt that is left to a burst while the burst ends is not left alone', async () => {
  // So that no pass of its own finds what follows.
  await reconcileNow(client);
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  await rowInBurst(endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false, attempts: 1 });
  const [delivery] = await endpoint.deliveries();
  let leaving: Promise<Set<string>> | undefined;
  await (await database(everpost.databaseUrl)).transactional(async (tx) => {
    expect(await closeBurst(tx, endpoint.id)).toBe(true);
    leaving = leaveToBursts(em.fork(), [delivery!.id]);
    await untilBlocked(tx);
  });
  expect(await leaving).toEqual(new Set([delivery!.id]));
  expect(await endpoint.all(1, 'delivered')).toMatchObject([{ attempts: 2 }]);
  await withoutBurst(endpoint);
});

test.each([
  [
    'is in flight',
    async (id: string) => {
      await em.fork().insert(WebhookAttempt, { delivery_id: id, token: uuidv7(), begun_at: new Date() });
    },
  ],
  [
    'is planned for later',
    async (id: string) => {
      await em.fork().nativeUpdate(WebhookDelivery, { id }, { next_attempt_at: new Date(Date.now() + 3_600_000) });
    },
  ],
  [
    'is settled',
    async (id: string) => {
      await em.fork().nativeUpdate(WebhookDelivery, { id }, { status: 'failed' });
    },
  ],
])('a delivery that %s is not left to a burst', async (_what, happens) => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { enabled: false } });
  await rowInBurst(endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false, attempts: 1 });
  const [delivery] = await endpoint.deliveries();
  await happens(delivery!.id);
  expect(await leaveToBursts(em.fork(), [delivery!.id])).toEqual(new Set());
  expect(await endpoint.deliveries()).toMatchObject([{ in_lane: false }]);
});

test('while its endpoint is disabled a burst holds, for all to see, and goes on when it is enabled', async () => {
  const { endpoint, letGo } = await heldBurst(30);
  await endpoint.change({ enabled: false });
  letGo();
  await eventually(async () => (await stateOf(client, `webhook-burst/${endpoint.id}`)) === 'held', { timeoutMs: 30_000 });
  const calls = endpoint.calls().length;
  const pending = (await endpoint.deliveries()).filter(({ status }) => status === 'pending');
  expect(pending.filter(({ in_lane }) => in_lane).length).toBeGreaterThanOrEqual(28);
  await endpoint.happens();
  expect(await endpoint.deliveries()).toHaveLength(BURST_AT + 30);
  expect(endpoint.calls()).toHaveLength(calls);
  await endpoint.change({ enabled: true });
  // Those that had no place have ended by themselves meanwhile.
  for (const delivery of pending)
    await deliveryHandle(client, delivery)
      .signal(CHANGED_SIGNAL)
      .catch(() => undefined);
  await burstHandle(client, endpoint).signal(CHANGED_SIGNAL);
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 30, 'delivered'), endpoint.calls());
  await withoutBurst(endpoint);
});

test('a burst and a delivery are found in Temporal Web by their project and by their endpoint', async () => {
  const { endpoint, letGo } = await heldBurst(1);
  const [delivery] = await endpoint.deliveries();
  for (const handle of [burstHandle(client, endpoint), deliveryHandle(client, delivery!)])
    expect((await handle.describe()).searchAttributes).toMatchObject({
      [SEARCH_ATTRIBUTES.project]: [endpoint.project.slug],
      [SEARCH_ATTRIBUTES.endpoint]: [endpoint.id],
    });
  letGo();
  await endpoint.all(BURST_AT + 1, 'delivered');
  await withoutBurst(endpoint);
});

test('the burst of a deleted endpoint ends and makes no further call', async () => {
  const { endpoint, letGo } = await heldBurst(30);
  await em.fork().nativeDelete(WebhookEndpoint, { id: endpoint.id });
  const calls = endpoint.calls().length;
  letGo();
  await burstHandle(client, endpoint).result();
  expect(endpoint.calls()).toHaveLength(calls);
});

test('what waits in a burst that is cancelled fails at once, and what comes afterwards is delivered', async () => {
  const { endpoint, letGo } = await heldBurst(30);
  await burstHandle(client, endpoint).cancel();
  await expect(burstHandle(client, endpoint).result()).rejects.toThrow();
  const failed = (await endpoint.deliveries()).filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThanOrEqual(29);
  expect(await endpoint.row()).toMatchObject({ has_lane: false });
  await endpoint.happens(40);
  letGo();
  await eventually(async () => (await endpoint.deliveries()).slice(-40).every(({ status }) => status === 'delivered'), {
    timeoutMs: 60_000,
  });
});

test('a cancelled burst has ended only when it has given back what it had begun and not called', async () => {
  const { endpoint, letGo } = await heldBurst(30);
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane).map(({ id }) => id);
  const begun = async () => (await em.fork().find(WebhookAttempt, { delivery_id: { $in: inBurst } })).map(({ delivery_id }) => delivery_id);
  const called = () => endpoint.calls().map(({ headers }) => headers['webhook-id']!);
  const left = async () => (await begun()).filter((id) => !called().includes(id));
  expect((await left()).length).toBeGreaterThan(1);
  await burstHandle(client, endpoint).cancel();
  const ended = burstHandle(client, endpoint)
    .result()
    .catch(() => 'cancelled');
  await Promise.race([ended, eventually(async () => (await left()).length === 0)]);
  expect(await left()).toEqual([]);
  letGo();
  expect(await ended).toBe('cancelled');
});

test('what waits in a burst that is terminated has failed after a pass of reconcile, and what comes afterwards is delivered', async () => {
  const { endpoint, letGo } = await heldBurst(30);
  await burstHandle(client, endpoint).terminate();
  await eventually(
    async () => {
      await reconcileNow(client);
      return !(await endpoint.row()).has_lane;
    },
    { timeoutMs: 30_000 },
  );
  expect((await endpoint.deliveries()).filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(29);
  await endpoint.happens(40);
  letGo();
  await eventually(async () => (await endpoint.deliveries()).slice(-40).every(({ status }) => status === 'delivered'), {
    timeoutMs: 60_000,
  });
});

test('what is emitted after a burst was terminated does not fail with what waited in it: another burst delivers it', async () => {
  // So that no pass of its own comes before what follows.
  await reconcileNow(client);
  const { endpoint, letGo } = await heldBurst(30);
  await burstHandle(client, endpoint).terminate();
  await endpoint.happens(5);
  const deliveries = await endpoint.deliveries();
  const [before, after] = [deliveries.slice(BURST_AT, -5), deliveries.slice(-5).map(({ id }) => id)];
  await eventually(
    async () => {
      await reconcileNow(client);
      const ofBefore = await em.fork().find(WebhookDelivery, { id: { $in: before.map(({ id }) => id) } });
      return ofBefore.filter(({ status }) => status === 'failed').length >= 29;
    },
    { timeoutMs: 30_000 },
  );
  letGo();
  await eventually(
    async () => {
      const found = await em.fork().find(WebhookDelivery, { id: { $in: after } });
      expect(found.map(({ status }) => status)).not.toContain('failed');
      return found.every(({ status }) => status === 'delivered');
    },
    { timeoutMs: 60_000 },
  );
  await eventually(async () => !(await endpoint.row()).has_lane);
});

test.each([
  ['the endpoint says that it has one', true, 0],
  ['deliveries wait in it', false, 2],
  ['it says so and deliveries wait', true, 2],
])('a burst that is lost, where %s, is made good', async (_what, hasBurst, waiting) => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: hasBurst } });
  for (let each = 0; each < waiting; each++) await rowInBurst(endpoint);
  await reconcileNow(client);
  if (waiting > 0) expectArrivedAsCounted(await endpoint.all(waiting, 'delivered'), endpoint.calls());
  await withoutBurst(endpoint);
});

test('where a burst has ended and something waits all the same, it is started again and nothing fails', async () => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  await reconcileNow(client);
  await withoutBurst(endpoint);
  // As by a worker that was frozen and comes back.
  await endpoint.change({ has_lane: true });
  await endpoint.happens(2);
  expect(await endpoint.deliveries()).toMatchObject([{ in_lane: true }, { in_lane: true }]);
  await reconcileNow(client);
  expectArrivedAsCounted(await endpoint.all(2, 'delivered'), endpoint.calls());
  await withoutBurst(endpoint);
});

test('a delivery whose start is lost gets its workflow', async () => {
  const endpoint = await newEndpoint(receiver, { everpost });
  await rowInBurst(endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false });
  await reconcileNow(client);
  expectArrivedAsCounted(await endpoint.all(1, 'delivered'), endpoint.calls());
});

test('a burst that is asked for again while it ends looks once more', async () => {
  const endpoint = await newEndpoint(receiver, { everpost });
  const handle = burstHandle(client, endpoint);
  const turns = async (): Promise<number> => {
    const { events } = await workflowHistory(client, handle.workflowId);
    return events.filter(({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').length;
  };
  await (await database(everpost.databaseUrl)).transactional(async (tx) => {
    // Its first turn waits for the endpoint's row.
    await row(tx, sql`select 1 from webhook_endpoints where id = ${endpoint.id} for update`);
    const input = { endpointId: endpoint.id, types: 'in words' };
    await client.workflow.start('webhookBurst', { workflowId: handle.workflowId, taskQueue: TASK_QUEUES.workflows, args: [input] });
    await untilBlocked(tx);
    await handle.signal(CHANGED_SIGNAL);
    await eventually(async () => {
      const { events } = await workflowHistory(client, handle.workflowId);
      const signal = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
      return signal >= 0 && events.slice(signal).some(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED');
    });
  });
  await handle.result();
  expect(await turns()).toBe(2);
});

test('retryNow stands also when the endpoint has no place for the attempt: it is made when it has one, though its time has not come', async () => {
  const endpoint = await newEndpoint(receiver, { everpost });
  receiver.answer(endpoint.path, { status: 503, headers: { 'retry-after': '3600' } });
  await endpoint.happens();
  const { id } = await endpoint.becomes(({ attempts }) => attempts === 1);
  await eventually(async () => (await stateOf(client, `webhook/${id}`)) === 'retrying');
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, promise);
  await endpoint.happens();
  await eventually(() => endpoint.calls().length === 2);
  await deliveryHandle(client, { id }).signal(RETRY_NOW_SIGNAL);
  await eventually(async () => readable(await workflowHistory(client, `webhook/${id}`)).includes('attempt 2 not made yet'));
  letGo();
  await endpoint.all(2, 'delivered');
  expect(endpoint.calls().filter(({ headers }) => headers['webhook-id'] === id)).toHaveLength(2);
});

test('while an event is being written a burst does not end, and goes on with what is there', async () => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  await (await database(everpost.databaseUrl)).transactional(async (tx) => {
    await emitOne(tx, endpoint);
    await reconcileNow(client);
    await eventually(() => isStarted(`webhook-burst/${endpoint.id}`));
    // Neither ends it nor waits: what others have written meanwhile is delivered.
    expect(await em.fork().transactional((other) => closeBurst(other, endpoint.id))).toBe(false);
    await rowInBurst(endpoint);
    await eventually(() => endpoint.calls().length === 1);
    expect(await endpoint.row()).toMatchObject({ has_lane: true });
  });
  expectArrivedAsCounted(await endpoint.all(2, 'delivered'), endpoint.calls());
  await withoutBurst(endpoint);
});

test('an event that is written while the burst ends is not left to it', async () => {
  // So that no pass of its own finds what follows.
  await reconcileNow(client);
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  let written: Promise<void> | undefined;
  await (await database(everpost.databaseUrl)).transactional(async (tx) => {
    expect(await closeBurst(tx, endpoint.id)).toBe(true);
    written = endpoint.happens();
    await untilBlocked(tx);
  });
  await written;
  const [delivery] = await endpoint.all(1, 'delivered');
  expect(delivery).toMatchObject({ in_lane: false });
  expect(await isStarted(`webhook/${delivery!.id}`)).toBe(true);
});

test('an event that is written while a terminated burst is settled fails with it or starts another, and is never left alone', async () => {
  // So that no pass of its own finds what follows.
  await reconcileNow(client);
  const endpoint = await newEndpoint(receiver, { everpost, fields: { has_lane: true } });
  let settling: Promise<number | null> | undefined;
  await (await database(everpost.databaseUrl)).transactional(async (tx) => {
    await emitOne(tx, endpoint);
    settling = em.fork().transactional((other) => failBurst(other, endpoint.id));
    await untilBlocked(tx);
  });
  expect(await settling).toBe(1);
  expect(await endpoint.deliveries()).toMatchObject([{ status: 'failed', in_lane: false }]);
  expect(await endpoint.row()).toMatchObject({ has_lane: false });
});

test('an address that is none holds up no start of others', async () => {
  const endpoint = await newEndpoint(receiver, { everpost, fields: { url: 'no address' } });
  const other = await newEndpoint(receiver, { everpost });
  await endpoint.happens();
  await other.happens();
  await other.all(1, 'delivered');
  const failed = await endpoint.becomes(({ status }) => status === 'failed', { timeoutMs: 60_000 });
  expect(failed.attempt_log).toHaveLength(6);
  expect(failed.attempt_log[0]?.error).toMatch(/^address: /);
  expect(await row(em.fork(), sql`select 1 from outbox where project_id = ${endpoint.project.id}`)).toBeUndefined();
});
