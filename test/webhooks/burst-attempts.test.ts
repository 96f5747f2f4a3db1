import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { leaveToBursts } from '../../db/queries/webhooks/webhook-starts.ts';
import { row } from '../../db/rows.ts';
import { CUT_OFF, MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';
import type { SafeAnswer, SafeRequest } from '../../platform/http/safe-http.ts';
import { createLogger } from '../../platform/logger.ts';
import type { DeliveryRequest } from '../../webhooks/attempts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { burstOptions, ownDeliveries, slotsFor, TAKEN } from './own-deliveries.ts';

const { fork, behindDoor, newDelivery, deliveryOf, attemptsWith, burstsWith, withLostAnswer } = ownDeliveries();

async function inBurst(count: number): Promise<DeliveryRequest[]> {
  const endpointId = uuidv7();
  const requests: DeliveryRequest[] = [];
  for (let each = 0; each < count; each++) requests.push(await newDelivery(undefined, endpointId));
  await fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpointId }, { in_lane: true });
  return requests;
}

test('a batch of a burst that has begun and whose process was not told so is no attempt of any of its deliveries', async () => {
  const requests = await inBurst(5);
  const { endpointId } = requests[0]!;
  const slots = slotsFor(4);
  const runBy = (by: EntityManager) => {
    const attempts = attemptsWith(async () => TAKEN, { slots, by });
    return burstsWith(attempts, slots, by).run(endpointId, burstOptions());
  };
  await expect(withLostAnswer(requests[2]!, runBy)).rejects.toThrow(/Connection terminated/);
  expect(await runBy(fork())).toMatchObject({ state: 'empty', delivered: 5 });
  for (const request of requests) expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('what a burst has begun and not made when the database goes away is no attempt', async () => {
  const requests = await inBurst(5);
  const { endpointId } = requests[0]!;
  const { door, em: by } = await behindDoor();
  const slots = slotsFor(1);
  const called = Promise.withResolvers<void>();
  const waitsForDatabase = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const hanging = async () => {
    called.resolve();
    return mayAnswer;
  };
  const log = { ...createLogger('silent'), warn: () => waitsForDatabase.resolve() };
  const attempts = attemptsWith(hanging, { log, slots, by });
  const bursts = burstsWith(attempts, slots, by);
  const turn = new AbortController();
  const running = bursts.run(endpointId, { ...burstOptions(), signal: turn.signal }).catch((error: unknown) => error);
  await called.promise;
  await door.down();
  turn.abort();
  await Promise.race([running, waitsForDatabase.promise]);
  await door.up();
  const inFlight = () => fork().count(WebhookAttempt, { delivery_id: { $in: requests.map(({ deliveryId }) => deliveryId) } });
  // All but the one that is being made are withdrawn.
  await eventually(async () => (await inFlight()) <= 1);
  answer(TAKEN);
  await running;
  await eventually(async () => (await deliveryOf(requests[0]!)).status === 'delivered');
  expect(await inFlight()).toBe(0);
  const made = await Promise.all(requests.map(deliveryOf));
  expect(made.map(({ status, attempts }) => [status, attempts])).toEqual([['delivered', 1], ...Array(4).fill(['pending', 0])]);
});

test('a batch that a burst is just beginning when its turn ends is no attempt', async () => {
  // More than a burst begins at once; it begins the next when half of them are made.
  const requests = await inBurst(201);
  const { endpointId } = requests[0]!;
  const last = requests.at(-1)!.deliveryId;
  const slots = slotsFor(4);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  let calls = 0;
  // On connections of their own: what the burst begins holds up no record.
  const { em: by } = await behindDoor();
  const attempts = attemptsWith(async () => (++calls > 110 ? mayAnswer : TAKEN), { slots, by });
  const bursts = burstsWith(attempts, slots);
  const turn = new AbortController();
  const delivered = () => fork().count(WebhookDelivery, { endpoint_id: endpointId, status: 'delivered' });
  const { running } = await fork().transactional(async (tx) => {
    await tx.insert(WebhookAttempt, { delivery_id: last, token: uuidv7(), begun_at: new Date() });
    const began = bursts.run(endpointId, { ...burstOptions(), signal: turn.signal });
    await eventually(() => calls === 114);
    await untilBlocked(tx);
    turn.abort();
    answer(TAKEN);
    await eventually(async () => (await delivered()) === 114);
    await tx.nativeDelete(WebhookAttempt, { delivery_id: last });
    return { running: began };
  });
  expect(await running).toMatchObject({ state: 'more', delivered: 114 });
  // Whatever was asked of the database has been done.
  const active = sql`select 1 from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
  await eventually(async () => !(await row(fork(), active)));
  expect(await fork().count(WebhookAttempt, { delivery_id: { $in: requests.map(({ deliveryId }) => deliveryId) } })).toBe(0);
});

test('an attempt that is cut off while a burst makes it, and the next one of the same turn, are two', async () => {
  const [request] = (await inBurst(1)) as [DeliveryRequest];
  const { deliveryId: id, endpointId } = request;
  const slots = slotsFor(2);
  const answers = [Promise.withResolvers<SafeAnswer>(), Promise.withResolvers<SafeAnswer>()];
  let calls = 0;
  const attempts = attemptsWith(() => answers[calls++]!.promise, { slots });
  const bursts = burstsWith(attempts, slots);
  const running = bursts.run(endpointId, burstOptions());
  await eventually(() => calls === 1);
  // As by another turn, for which this one was lost from sight.
  const { token, begun_at: begunAt } = await fork().findOneOrFail(WebhookAttempt, { delivery_id: id });
  await attempts.cutOff({ id, endpointId, token, begunAt, number: 1 });
  await leaveToBursts(fork(), [id]);
  await eventually(() => calls === 2);
  answers[0]!.resolve({ ...TAKEN, status: 500 });
  await eventually(async () => (await fork().count(WebhookAttempt, { delivery_id: id })) === 1);
  answers[1]!.resolve(TAKEN);
  expect(await running).toMatchObject({ state: 'empty', delivered: 1, failed: 1 });
  const log = [
    { number: 1, status: null, error: CUT_OFF.error },
    { number: 2, status: 200, error: null },
  ];
  expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 2, attempt_log: log });
});

test('the last attempt of a series that a killed burst has left is the last', async () => {
  const [request] = (await inBurst(1)) as [DeliveryRequest];
  const { deliveryId: id, endpointId } = request;
  await fork().nativeUpdate(WebhookDelivery, { id }, { attempts: MOST_ATTEMPTS - 1 });
  await fork().insert(WebhookAttempt, { delivery_id: id, token: uuidv7(), begun_at: new Date() });
  const slots = slotsFor(1);
  const attempts = attemptsWith(async () => TAKEN, { slots });
  const bursts = burstsWith(attempts, slots);
  expect(await bursts.run(endpointId, burstOptions())).toMatchObject({ state: 'empty', delivered: 0 });
  const log = [{ number: MOST_ATTEMPTS, status: null, error: CUT_OFF.error }];
  expect(await deliveryOf(request)).toMatchObject({ status: 'failed', attempts: MOST_ATTEMPTS, attempt_log: log });
});

test('where first and later attempts wait in a burst they are made in turns, each in order of creation', async () => {
  const requests = await inBurst(9);
  const { endpointId } = requests[0]!;
  const ids = requests.map(({ deliveryId }) => deliveryId);
  const [later, first] = [ids.slice(0, 6), ids.slice(6)];
  await fork().nativeUpdate(WebhookDelivery, { id: { $in: later } }, { attempts: 1 });
  const called: string[] = [];
  const slots = slotsFor(1);
  const answered = async ({ headers }: SafeRequest) => {
    called.push(headers!['webhook-id']!);
    return TAKEN;
  };
  const attempts = attemptsWith(answered, { slots });
  const bursts = burstsWith(attempts, slots);
  expect(await bursts.run(endpointId, burstOptions())).toMatchObject({ state: 'empty', delivered: 9 });
  const inTurns = [first[0], later[0], first[1], later[1], first[2], later[2], later[3], later[4], later[5]];
  expect(called).toEqual(inTurns);
});
