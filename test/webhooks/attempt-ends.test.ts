import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../db/entities/index.ts';
import { type EndedAttempt, endAttempts } from '../../db/queries/webhooks/attempt-ends.ts';
import { withdrawAttempts } from '../../db/queries/webhooks/webhook-attempts.ts';
import type { SafeAnswer } from '../../platform/http/safe-http.ts';
import { retryDelivery } from '../../usecases/webhooks/retry-delivery.ts';
import type { DeliveryRequest } from '../../webhooks/attempts.ts';
import { ownDeliveries, TAKEN } from './own-deliveries.ts';

const { fork, newDelivery, deliveryOf, attemptsWith } = ownDeliveries();

test('a retry by hand while the last attempt of before is in flight has all of its own, whatever becomes of that one', async () => {
  const request = await newDelivery();
  await fork().nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { attempts: 5 });
  const called = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const local = attemptsWith(async () => {
    called.resolve();
    return mayAnswer;
  }).attemptLocally(request);
  await called.promise;
  // Its workflow is cancelled meanwhile.
  await fork().nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await fork().transactional((tx) =>
    retryDelivery(tx, { projectId: request.projectId, endpointId: request.endpointId, id: request.deliveryId }),
  );
  answer({ ...TAKEN, status: 503 });
  await local;
  const refused = attemptsWith(async () => ({ ...TAKEN, status: 500 }));
  for (let number = 1; number <= 6; number++) {
    expect(await deliveryOf(request)).toMatchObject({ status: 'pending', attempts: number - 1 });
    await refused.attemptLocally({ ...request, isHurried: true });
  }
  const { status, attempts, attempt_log } = await deliveryOf(request);
  expect([status, attempts]).toEqual(['failed', 6]);
  expect(attempt_log).toMatchObject([
    { series: 1, number: 6, status: null, error: expect.stringContaining('cut off') },
    ...[1, 2, 3, 4, 5, 6].map((number) => ({ series: 2, number, status: 500 })),
  ]);
});

test('an attempt of before that comes through after a retry by hand has its delivery delivered, and its entry says so', async () => {
  const { request, ended } = await held();
  await fork().nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await fork().transactional((tx) =>
    retryDelivery(tx, { projectId: request.projectId, endpointId: request.endpointId, id: request.deliveryId }),
  );
  await endAttempts(fork(), [ended(200)]);
  expect(await deliveryOf(request)).toMatchObject({
    status: 'delivered',
    attempts: 0,
    attempt_log: [{ series: 1, number: 1, status: 200 }],
  });
});

/** An attempt that is in flight, and how it may end. */
async function held(): Promise<{ request: DeliveryRequest; ended(status: number | null): EndedAttempt }> {
  const request = await newDelivery();
  const [token, begunAt] = [uuidv7(), new Date()];
  await fork().insert(WebhookAttempt, { delivery_id: request.deliveryId, token, begun_at: begunAt });
  return {
    request,
    ended: (status) => ({
      ...{ id: request.deliveryId, token, begunAt, milliseconds: 7 },
      answer: status === null ? { status, error: 'cut off' } : { status },
      ...(status === 200 ? { settled: 'delivered', nextAt: null } : { settled: null, nextAt: new Date() }),
    }),
  };
}

test.each([
  ['before it is cut off', [200, null]],
  ['after it was cut off', [null, 200]],
])('an answer that comes %s, both written at once, is the one that stands, and the attempt counts once', async (_when, statuses) => {
  const { request, ended } = await held();
  await endAttempts(fork(), statuses.map(ended));
  const delivery = await deliveryOf(request);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200 });
  expect(delivery.attempt_log).toMatchObject([{ number: 1, status: 200, error: null, milliseconds: 7 }]);
});

test('a refusal that comes after the attempt was cut off changes nothing', async () => {
  const { request, ended } = await held();
  await endAttempts(fork(), [ended(null)]);
  const before = await deliveryOf(request);
  // The next one is in flight by then.
  const next = { delivery_id: request.deliveryId, token: uuidv7(), begun_at: new Date() };
  await fork().insert(WebhookAttempt, next);
  await endAttempts(fork(), [ended(500)]);
  expect(await deliveryOf(request)).toEqual(before);
  expect(await fork().find(WebhookAttempt, { delivery_id: request.deliveryId })).toMatchObject([{ token: next.token }]);
  await endAttempts(fork(), [{ ...ended(503), token: next.token, begunAt: next.begun_at }]);
  expect(await deliveryOf(request)).toMatchObject({ attempts: 2, attempt_log: [{ status: null }, { number: 2, status: 503 }] });
});

test('an attempt that is taken back leaves alone the one that has begun after it', async () => {
  const { deliveryId: id } = await newDelivery();
  const token = uuidv7();
  await fork().insert(WebhookAttempt, { delivery_id: id, token, begun_at: new Date() });
  await withdrawAttempts(fork(), [{ id, token: uuidv7() }]);
  expect(await fork().count(WebhookAttempt, { delivery_id: id })).toBe(1);
  await withdrawAttempts(fork(), [{ id, token }]);
  expect(await fork().count(WebhookAttempt, { delivery_id: id })).toBe(0);
});

test('an outcome that is written twice counts once', async () => {
  const { request, ended } = await held();
  for (let time = 0; time < 2; time++) await endAttempts(fork(), [ended(200)]);
  expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1, attempt_log: [{ number: 1 }] });
});

test('a refusal whose delivery was failed meanwhile is counted, and leaves it failed', async () => {
  const { request, ended } = await held();
  await fork().nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await endAttempts(fork(), [ended(500)]);
  expect(await deliveryOf(request)).toMatchObject({ status: 'failed', attempts: 1, response_status: 500 });
});
