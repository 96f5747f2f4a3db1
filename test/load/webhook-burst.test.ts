import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutboxMessage, WebhookAttempt, WebhookDelivery, WebhookEndpoint } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { closeBurst } from '../../db/queries/webhooks/webhook-attempts.ts';
import { leaveToBursts } from '../../db/queries/webhooks/webhook-starts.ts';
import { row } from '../../db/rows.ts';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL, SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import type { HttpReceiver } from '../support/http-receiver.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { must } from '../support/sequences.ts';
import { readable, workflowHistory } from '../support/temporal.ts';
import { burstHandle, deliveryHandle, expectArrivedAsCounted, isStarted, rowInBurst, stateOf, withoutBurst } from '../support/webhooks.ts';
import { BURST_AT, emitOne, type HeldBursts, heldBursts, lastAreDelivered } from './held-bursts.ts';

let bursts: HeldBursts;
let receiver: HttpReceiver;
let client: Client;
let em: EntityManager;

beforeAll(async () => {
  bursts = await heldBursts();
  ({ receiver, client, em } = bursts);
});
afterAll(() => bursts?.stop());

test('up to the number of a burst each delivery has its workflow from the first attempt on, above it the burst makes it', async () => {
  const { endpoint, letGo } = await bursts.heldEndpoint();
  await endpoint.happens(BURST_AT);
  await endpoint.happens(5);
  const deliveries = await endpoint.deliveries();
  expect(deliveries.map(({ in_lane }) => in_lane)).toEqual([...Array(BURST_AT).fill(false), ...Array(5).fill(true)]);
  await eventually(async () =>
    (await Promise.all(deliveries.slice(0, BURST_AT).map(({ id }) => isStarted(client, `webhook/${id}`)))).every(Boolean),
  );
  await eventually(() => isStarted(client, `webhook-burst/${endpoint.id}`));
  letGo();
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 5, 'delivered'), endpoint.calls());
  await withoutBurst(client, endpoint);
  for (const { id } of deliveries.slice(BURST_AT)) expect(await isStarted(client, `webhook/${id}`)).toBe(false);
});

test('a burst keeps the order of creation, with no more calls at once than the endpoint may have', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(300);
  const wanted = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane).map(({ id }) => id);
  expect(wanted).toHaveLength(300);
  letGo();
  expectArrivedAsCounted(await endpoint.all(BURST_AT + 300, 'delivered'), endpoint.calls());
  const arrived = endpoint.calls().map(({ headers }) => headers['webhook-id']!);
  expect(arrived.filter((id) => wanted.includes(id))).toEqual(wanted);
  expect(receiver.mostAtOnce(endpoint.path)).toBe(1);
  await withoutBurst(client, endpoint);
});

test('a delivery whose first attempt fails in the burst gets its workflow, which starts at the second attempt', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(3);
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
  await withoutBurst(client, endpoint);
});

test('what a burst was refused stands before nobody: its workflow is started when the second attempt is due, or some seconds later', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(3);
  receiver.answer(endpoint.path, ...Array(BURST_AT + 10).fill({ status: 503, headers: { 'retry-after': '600' } }));
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane);
  letGo();
  // The call that was held may have had no answer in time, and be made again soon.
  const wasInBurst = new Set(inBurst.map(({ id }) => id));
  const isRefused = ({ id, attempts }: { id: string; attempts: number }) => (wasInBurst.has(id) ? attempts === 1 : attempts >= 1);
  await eventually(async () => (await endpoint.deliveries()).every(isRefused), { timeoutMs: 60_000 });
  await withoutBurst(client, endpoint);
  const planned = new Map((await endpoint.deliveries()).map(({ id, next_attempt_at }) => [id, next_attempt_at.getTime()]));
  const spread: number[] = [];
  for (const { id } of inBurst) {
    const [start, ...more] = await em.fork().find(OutboxMessage, { workflow_id: `webhook/${id}` });
    expect(more).toEqual([]);
    expect(start).toMatchObject({ message: { kind: 'start' }, attempts: 0 });
    spread.push(start!.due_at.getTime() - planned.get(id)!);
    expect(start!.due_at.getTime()).toBeGreaterThan(Date.now() + 300_000);
    expect(await isStarted(client, `webhook/${id}`)).toBe(false);
  }
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...spread)).toBeGreaterThan(0);
  expect(Math.max(...spread)).toBeLessThanOrEqual(15_000);
});

test('of very many second attempts that are due together the burst makes most, each once and counted', async () => {
  const COUNT = 200;
  const { endpoint, letGo } = await bursts.heldBurst(COUNT);
  receiver.answer(endpoint.path, ...Array(BURST_AT + COUNT + 5).fill({ status: 503, headers: { 'retry-after': '600' } }));
  const inBurst = (await endpoint.deliveries()).filter(({ in_lane }) => in_lane);
  letGo();
  await eventually(async () => (await endpoint.deliveries()).every(({ attempts, in_lane }) => attempts >= 1 && !in_lane), {
    timeoutMs: 60_000,
  });
  await withoutBurst(client, endpoint);
  receiver.answer(endpoint.path);
  must(await endpoint.project.api.post(`/webhooks/${endpoint.id}/deliveries/attempt`), 200);
  expectArrivedAsCounted(await endpoint.all(BURST_AT + COUNT, 'delivered'), endpoint.calls());
  const made = await endpoint.deliveries();
  expect(made.filter(({ attempts }) => attempts > 2).length).toBeLessThanOrEqual(1);
  const started = await Promise.all(inBurst.map(({ id }) => isStarted(client, `webhook/${id}`)));
  expect(started.filter(Boolean).length).toBeLessThanOrEqual(COUNT / 2);
  await withoutBurst(client, endpoint);
  expect(await row(em.fork(), sql`select 1 from outbox where project_id = ${endpoint.project.id}`)).toBeUndefined();
});

test('a later attempt that is left to a burst while the burst ends is not left alone', async () => {
  // So that no pass of its own finds what follows.
  await reconcileNow(client);
  const endpoint = await bursts.newEndpoint({ has_lane: true });
  await rowInBurst(em, endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false, attempts: 1 });
  const [delivery] = await endpoint.deliveries();
  let leaving: Promise<Set<string>> | undefined;
  await bursts.transactional(async (tx) => {
    expect(await closeBurst(tx, endpoint.id)).toBe(true);
    leaving = leaveToBursts(em.fork(), [delivery!.id]);
    await untilBlocked(tx);
  });
  expect(await leaving).toEqual(new Set([delivery!.id]));
  expect(await endpoint.all(1, 'delivered')).toMatchObject([{ attempts: 2 }]);
  await withoutBurst(client, endpoint);
});

test('while its endpoint is disabled a burst holds, for all to see, and goes on when it is enabled', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(30);
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
  await withoutBurst(client, endpoint);
});

test('a burst and a delivery are found in Temporal Web by their project and by their endpoint', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(1);
  const [delivery] = await endpoint.deliveries();
  for (const handle of [burstHandle(client, endpoint), deliveryHandle(client, delivery!)])
    expect((await handle.describe()).searchAttributes).toMatchObject({
      [SEARCH_ATTRIBUTES.project]: [endpoint.project.slug],
      [SEARCH_ATTRIBUTES.endpoint]: [endpoint.id],
    });
  letGo();
  await endpoint.all(BURST_AT + 1, 'delivered');
  await withoutBurst(client, endpoint);
});

test('the burst of a deleted endpoint ends and makes no further call', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(30);
  await em.fork().nativeDelete(WebhookEndpoint, { id: endpoint.id });
  const calls = endpoint.calls().length;
  letGo();
  await burstHandle(client, endpoint).result();
  expect(endpoint.calls()).toHaveLength(calls);
});

test('what waits in a burst that is cancelled fails at once, and what comes afterwards is delivered', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(30);
  await burstHandle(client, endpoint).cancel();
  await expect(burstHandle(client, endpoint).result()).rejects.toThrow();
  const failed = (await endpoint.deliveries()).filter(({ status }) => status === 'failed');
  expect(failed.length).toBeGreaterThanOrEqual(29);
  expect(await endpoint.row()).toMatchObject({ has_lane: false });
  await endpoint.happens(40);
  letGo();
  await lastAreDelivered(endpoint, 40);
});

test('a cancelled burst has ended only when it has given back what it had begun and not called', async () => {
  const { endpoint, letGo } = await bursts.heldBurst(30);
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
  const { endpoint, letGo } = await bursts.heldBurst(30);
  await burstHandle(client, endpoint).terminate();
  await bursts.afterPasses(async () => !(await endpoint.row()).has_lane);
  expect((await endpoint.deliveries()).filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(29);
  await endpoint.happens(40);
  letGo();
  await lastAreDelivered(endpoint, 40);
});

test('what is emitted after a burst was terminated does not fail with what waited in it: another burst delivers it', async () => {
  // So that no pass of its own comes before what follows.
  await reconcileNow(client);
  const { endpoint, letGo } = await bursts.heldBurst(30);
  await burstHandle(client, endpoint).terminate();
  await endpoint.happens(5);
  const deliveries = await endpoint.deliveries();
  const [before, after] = [deliveries.slice(BURST_AT, -5), deliveries.slice(-5).map(({ id }) => id)];
  await bursts.afterPasses(async () => {
    const ofBefore = await em.fork().find(WebhookDelivery, { id: { $in: before.map(({ id }) => id) } });
    return ofBefore.filter(({ status }) => status === 'failed').length >= 29;
  });
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

test('retryNow stands also when the endpoint has no place for the attempt: it is made when it has one, though its time has not come', async () => {
  const endpoint = await bursts.newEndpoint();
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
  const endpoint = await bursts.newEndpoint({ has_lane: true });
  await bursts.transactional(async (tx) => {
    await emitOne(tx, endpoint);
    await reconcileNow(client);
    await eventually(() => isStarted(client, `webhook-burst/${endpoint.id}`));
    // Neither ends it nor waits: what others have written meanwhile is delivered.
    expect(await em.fork().transactional((other) => closeBurst(other, endpoint.id))).toBe(false);
    await rowInBurst(em, endpoint);
    await eventually(() => endpoint.calls().length === 1);
    expect(await endpoint.row()).toMatchObject({ has_lane: true });
  });
  expectArrivedAsCounted(await endpoint.all(2, 'delivered'), endpoint.calls());
  await withoutBurst(client, endpoint);
});

test('an event that is written while the burst ends is not left to it', async () => {
  // So that no pass of its own finds what follows.
  await reconcileNow(client);
  const endpoint = await bursts.newEndpoint({ has_lane: true });
  let written: Promise<void> | undefined;
  await bursts.transactional(async (tx) => {
    expect(await closeBurst(tx, endpoint.id)).toBe(true);
    written = endpoint.happens();
    await untilBlocked(tx);
  });
  await written;
  const [delivery] = await endpoint.all(1, 'delivered');
  expect(delivery).toMatchObject({ in_lane: false });
  expect(await isStarted(client, `webhook/${delivery!.id}`)).toBe(true);
});
