import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../db/entities/index.ts';
import { restartDeliveries } from '../../db/queries/webhooks/webhook-starts.ts';
import { shownInstant } from '../../domain/shown-text.ts';
import type { SafeAnswer, SafeRequest } from '../../platform/http/safe-http.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Attempts, DeliveryRequest } from '../../webhooks/attempts.ts';
import { eventually } from '../support/eventually.ts';
import { burstOptions, ownDeliveries, slotsFor, TAKEN } from './own-deliveries.ts';

const { fork, newDelivery, deliveryOf, attemptsWith, burstsWith, withLostAnswer } = ownDeliveries();

/** Of these, as many local attempts as expected are made while nothing is answered; the others have to queue. */
async function localAttemptsAmong(
  attempts: Attempts,
  requests: readonly DeliveryRequest[],
  expected: number,
  calls: () => number,
): Promise<Promise<unknown>[]> {
  const done = requests.map((request) => attempts.attemptLocally(request));
  const queued = await eventually(async () => {
    const now = await Promise.all(done.map((one) => Promise.race([one, Promise.resolve('under way' as const)])));
    const ended = now.filter((one) => one !== 'under way');
    return calls() === expected && ended.length === requests.length - expected && ended;
  });
  expect(queued).toEqual(Array(requests.length - expected).fill({ do: 'queue', details: 'No attempt was made: it is queued' }));
  return done;
}

test('a first attempt is made at once also by a process whose clock is five minutes behind', async () => {
  const behind = () => new Date(Date.now() - 300_000);
  const attempts = attemptsWith(async () => TAKEN, { now: behind });
  const request = await newDelivery();
  await attempts.attemptLocally(request);
  expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('calls within workflow tasks to endpoints that were not seen to be quick are three at once, and every other call has to queue', async () => {
  let calls = 0;
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const attempts = attemptsWith(() => {
    calls++;
    return mayAnswer;
  });
  const requests = await Promise.all(Array.from({ length: 8 }, () => newDelivery()));
  const done = await localAttemptsAmong(attempts, requests, 3, () => calls);
  answer(TAKEN);
  await Promise.all(done);
});

test('calls within workflow tasks to quick endpoints are ten at once, should all of them begin to hang', async () => {
  let calls = 0;
  let answered: Promise<SafeAnswer> = Promise.resolve(TAKEN);
  const attempts = attemptsWith(() => {
    calls++;
    return answered;
  });
  const endpoints = await Promise.all(Array.from({ length: 12 }, () => newDelivery()));
  for (const request of endpoints) await attempts.attemptLocally(request);
  const { promise, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  answered = promise;
  calls = 0;
  const requests = await Promise.all(endpoints.map(({ endpointId }) => newDelivery(undefined, endpointId)));
  const done = await localAttemptsAmong(attempts, requests, 10, () => calls);
  answer(TAKEN);
  await Promise.all(done);
});

test('a call that finds no place is no attempt and says until when it waits; a retry comes back later each time, a first attempt never later', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const attempts = attemptsWith(() => mayAnswer, { slots: slotsFor(1) });
  const first = await newDelivery();
  const second = await newDelivery(undefined, first.endpointId);
  const local = attempts.attemptLocally(first);
  const at = Date.now();
  const asked = [
    { ...second, number: 2 },
    { ...second, number: 2, busy: 10 },
    { ...second, busy: 10 },
  ];
  const commands = await Promise.all(asked.map((request) => attempts.queued(request)));
  const waits = commands.flatMap((command) => (command.do === 'wait' ? command : []));
  expect(waits).toMatchObject(Array(3).fill({ state: 'waiting', isBusy: true }));
  for (const [index, { until, summary, details }] of waits.entries()) {
    const notMade = index < 2 ? 'attempt 2 not made yet' : 'no call made yet';
    expect(summary).toMatch(new RegExp(`^waits for a place until ${shownInstant(until!)}: .*; ${notMade}$`));
    expect(details).toMatch(new RegExp(`^Waits for a place until .*; ${notMade}$`));
  }
  const [soon, late, firstAgain] = waits.map(({ until }) => until! - at);
  expect(soon).toBeLessThan(60_000);
  expect(late).toBeGreaterThan(200_000);
  expect(firstAgain).toBeLessThan(30_000);
  expect(await deliveryOf(second)).toMatchObject({ attempts: 0, attempt_log: [] });
  answer(TAKEN);
  await local;
});

/** An endpoint with four slots whose calls hang until they are answered. */
function hangingEndpoint() {
  const endpointId = uuidv7();
  const hanging = new Map<string, (answer: SafeAnswer) => void>();
  const slots = slotsFor(4);
  let hangs = true;
  const call = ({ headers = {} }: SafeRequest): Promise<SafeAnswer> => {
    const { promise, resolve } = Promise.withResolvers<SafeAnswer>();
    if (hangs) hanging.set(headers['webhook-id']!, resolve);
    else resolve(TAKEN);
    return promise;
  };
  return {
    endpointId,
    hanging,
    slots,
    attempts: attemptsWith(call, { slots }),
    retries: async (count: number): Promise<DeliveryRequest[]> => {
      const requests: DeliveryRequest[] = [];
      for (let each = 0; each < count; each++) requests.push({ ...(await newDelivery(undefined, endpointId)), number: 2 });
      return requests;
    },
    answerAll: (): void => {
      for (const [id, answer] of [...hanging]) {
        hanging.delete(id);
        answer(TAKEN);
      }
    },
    mend: (): void => {
      hangs = false;
    },
  };
}

test('of an endpoint that hangs half of the calls are first attempts of its burst, however many retries wait', async () => {
  const { endpointId, hanging, slots, attempts, retries, answerAll, mend } = hangingEndpoint();
  const inBurst: string[] = [];
  for (let each = 0; each < 6; each++) inBurst.push((await newDelivery(undefined, endpointId)).deliveryId);
  await fork().nativeUpdate(WebhookDelivery, { id: { $in: inBurst } }, { in_lane: true });
  const retried = (await retries(20)).map((request) => attempts.queued(request));
  await eventually(() => hanging.size === 2);

  const bursts = burstsWith(attempts, slots);
  const burst = bursts.run(endpointId, burstOptions());
  await eventually(async () => (await fork().count(WebhookAttempt, { delivery_id: { $in: inBurst } })) === 6);
  await eventually(() => hanging.size === 4);
  answerAll();
  await eventually(() => hanging.size === 4);
  expect([...hanging.keys()].filter((id) => inBurst.includes(id))).toHaveLength(2);
  mend();
  answerAll();
  expect(await burst).toMatchObject({ state: 'empty', delivered: 6 });
  await Promise.all(retried);
});

test('of an endpoint that hangs half of the calls are first attempts also when it has no burst, however many retries wait', async () => {
  const { endpointId, hanging, attempts, retries, answerAll, mend } = hangingEndpoint();
  const retried = (await retries(20)).map((request) => attempts.queued(request));
  await eventually(() => hanging.size === 2);
  const first: DeliveryRequest[] = [];
  for (let each = 0; each < 4; each++) first.push(await newDelivery(undefined, endpointId));
  const made = first.map((request) => attempts.queued(request));
  const firstHanging = (): number => first.filter(({ deliveryId }) => hanging.has(deliveryId)).length;
  await eventually(() => firstHanging() === 2);
  answerAll();
  await eventually(() => hanging.size === 4);
  expect(firstHanging()).toBe(2);
  mend();
  answerAll();
  expect(await Promise.all(made)).toMatchObject(Array(4).fill({ do: 'end', status: 'delivered' }));
  await Promise.all(retried);
});

test('an endpoint that refuses its deliveries is told in the log once, with what it answered and no address of it but the host', async () => {
  const lines: unknown[] = [];
  const log = { ...createLogger('silent'), warn: (event: string, fields?: object) => void lines.push({ event, ...fields }) };
  const attempts = attemptsWith(async () => ({ ...TAKEN, status: 503 }), { log });
  const first = await newDelivery();
  for (let made = 0; made < 5; made++) await attempts.attemptLocally(await newDelivery(undefined, first.endpointId));
  expect(lines).toEqual([
    { event: 'webhooks.endpoint_failing', endpointId: first.endpointId, projectId: first.projectId, host: 'a.example', answered: 503 },
  ]);
});

test('a secret that cannot be opened fails each attempt with that reason, and nothing is called', async () => {
  let calls = 0;
  const attempts = attemptsWith(async () => {
    calls++;
    return TAKEN;
  });
  const request = await newDelivery(randomBytes(40));
  for (let attempt = 1; attempt <= 6; attempt++) await attempts.attemptLocally({ ...request, isHurried: true });
  const { status, attempt_log } = await deliveryOf(request);
  expect(status).toBe('failed');
  expect(attempt_log.map(({ error }) => error)).toEqual(
    Array(6).fill(expect.stringContaining('the secret of the endpoint cannot be opened')),
  );
  expect(calls).toBe(0);
});

test('an attempt whose process has died is counted, and the next may begin at once', async () => {
  const attempts = attemptsWith(async () => TAKEN);
  const request = await newDelivery();
  await fork().insert(WebhookAttempt, { delivery_id: request.deliveryId, token: uuidv7(), begun_at: new Date() });
  const command = await attempts.attemptLocally(request);
  expect(command).toMatchObject({ do: 'wait', next: 2 });
  expect((command as { until: number }).until).toBeLessThanOrEqual(Date.now());
  expect(await attempts.attemptLocally(request)).toMatchObject({ do: 'end', status: 'delivered' });
  expect((await deliveryOf(request)).attempt_log).toMatchObject([
    { number: 1, status: null, error: expect.stringContaining('cut off') },
    { number: 2, status: 200 },
  ]);
});

test('a delivery that is asked for twice at once, as after a workflow task that timed out, is called once', async () => {
  let calls = 0;
  const attempts = attemptsWith(async () => {
    calls++;
    return TAKEN;
  });
  const request = await newDelivery();
  const asked = await Promise.all([attempts.attemptLocally(request), attempts.attemptLocally(request)]);
  expect(asked).toContainEqual(expect.objectContaining({ do: 'end', status: 'delivered' }));
  expect(asked).toContainEqual(expect.objectContaining({ do: 'wait', state: 'retrying', next: 1 }));
  expect(calls).toBe(1);
  expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1, attempt_log: [{ number: 1, status: 200 }] });
});

test('an attempt that has begun and whose process was not told so is no attempt', async () => {
  let calls = 0;
  const request = await newDelivery();
  const answered = async () => {
    calls++;
    return TAKEN;
  };
  const local = withLostAnswer(request, (by) => attemptsWith(answered, { by }).attemptLocally(request));
  await expect(local).rejects.toThrow(/Connection terminated/);
  expect(calls).toBe(0);
  expect(await attemptsWith(answered).attemptLocally(request)).toMatchObject({ do: 'end', status: 'delivered' });
  expect(await deliveryOf(request)).toMatchObject({ attempts: 1, attempt_log: [{ number: 1, status: 200 }] });
});

test('a delivery that has no workflow is started once, and counted as started', async () => {
  const { deliveryId } = await newDelivery();
  const restart = () => fork().transactional((tx) => restartDeliveries(tx, [deliveryId]));
  expect(await restart()).toBe(1);
  expect(await restart()).toBe(0);
});
