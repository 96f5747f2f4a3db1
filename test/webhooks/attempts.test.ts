import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint, WebhookEvent } from '../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { type EndedAttempt, endAttempts } from '../../db/queries/webhooks/attempt-ends.ts';
import { withdrawAttempts } from '../../db/queries/webhooks/webhook-attempts.ts';
import { leaveToBursts, restartDeliveries } from '../../db/queries/webhooks/webhook-starts.ts';
import { row } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { sealedOf } from '../../domain/projects/sealed.ts';
import { shownInstant } from '../../domain/shown-text.ts';
import { CUT_OFF, MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';
import type { SafeAnswer, SafeRequest } from '../../platform/http/safe-http.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { retryDelivery } from '../../usecases/webhooks/retry-delivery.ts';
import { type Attempts, createAttempts, type DeliveryRequest } from '../../webhooks/attempts.ts';
import { createBursts } from '../../webhooks/burst.ts';
import { createEndpointKeys } from '../../webhooks/endpoint-keys.ts';
import { FairSlots } from '../../webhooks/fair-slots.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { bareProject, ownDatabase, throughDoor } from '../support/own-database.ts';

const vault = createVault(randomBytes(32));
const TAKEN: SafeAnswer = { ok: true, status: 200, retryAfterSeconds: undefined, milliseconds: 1 };

let orm: MikroORM;
let em: EntityManager;
let projectId: string;

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
  projectId = (await bareProject(em)).id;
});

/** An endpoint with a delivery, and what an attempt of it is asked with. */
async function newDelivery(sealed?: Uint8Array, endpointId = uuidv7()): Promise<DeliveryRequest> {
  const [eventId, deliveryId] = [uuidv7(), uuidv7()];
  if (!(await em.fork().findOne(WebhookEndpoint, { id: endpointId }))) {
    const sealed_secret = sealed ?? vault.seal(Buffer.from('a secret of some length'), sealedOf.endpointSecret(endpointId));
    await em.insert(WebhookEndpoint, {
      id: endpointId,
      project_id: projectId,
      url: 'https://a.example/',
      sealed_secret: sealed_secret as never,
    });
  }
  await em.insert(WebhookEvent, { id: eventId, project_id: projectId, type: 'email.sent', data: {} });
  await em.insert(WebhookDelivery, { id: deliveryId, project_id: projectId, endpoint_id: endpointId, event_id: eventId });
  return { deliveryId, endpointId, projectId, isHurried: false, busy: 0 };
}

async function deliveryOf({ deliveryId }: Pick<DeliveryRequest, 'deliveryId'>): Promise<WebhookDeliveryRow> {
  return orm.em.fork().findOneOrFail(WebhookDelivery, { id: deliveryId });
}

/** `answer`: what each call comes to. */
function attemptsWith(
  answer: (request: SafeRequest) => Promise<SafeAnswer>,
  perEndpoint = 50,
  log = createLogger('silent', {}),
  slots = new FairSlots({ total: 400, perEndpoint, mostWaiting: 200 }),
  by: EntityManager = orm.em.fork(),
  now = () => new Date(),
): Attempts {
  return createAttempts({
    em: by,
    http: { request: answer, close: async () => {} },
    keys: createEndpointKeys(vault),
    slots,
    retryBaseSeconds: 120,
    log,
    metrics: createMetrics(),
    now,
    newId: () => uuidv7(),
  });
}

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
  const attempts = attemptsWith(async () => TAKEN, undefined, undefined, undefined, undefined, behind);
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
  const attempts = attemptsWith(() => mayAnswer, 1);
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
  const slots = new FairSlots({ total: 400, perEndpoint: 4, mostWaiting: 200 });
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
    attempts: attemptsWith(call, 4, createLogger('silent', {}), slots),
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
  await em.nativeUpdate(WebhookDelivery, { id: { $in: inBurst } }, { in_lane: true });
  const retried = (await retries(20)).map((request) => attempts.queued(request));
  await eventually(() => hanging.size === 2);

  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  const options = { milliseconds: 60_000, signal: new AbortController().signal, progress: () => {} };
  const burst = bursts.run(endpointId, options);
  await eventually(async () => (await orm.em.fork().count(WebhookAttempt, { delivery_id: { $in: inBurst } })) === 6);
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
  const attempts = attemptsWith(async () => ({ ...TAKEN, status: 503 }), 50, log);
  const first = await newDelivery();
  for (let made = 0; made < 5; made++) await attempts.attemptLocally(await newDelivery(undefined, first.endpointId));
  expect(lines).toEqual([
    { event: 'webhooks.endpoint_failing', endpointId: first.endpointId, projectId, host: 'a.example', answered: 503 },
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
  await em.insert(WebhookAttempt, { delivery_id: request.deliveryId, token: uuidv7(), begun_at: new Date() });
  const command = await attempts.attemptLocally(request);
  expect(command).toMatchObject({ do: 'wait', next: 2 });
  expect((command as { until: number }).until).toBeLessThanOrEqual(Date.now());
  expect(await attempts.attemptLocally(request)).toMatchObject({ do: 'end', status: 'delivered' });
  expect((await deliveryOf(request)).attempt_log).toMatchObject([
    { number: 1, status: null, error: expect.stringContaining('cut off') },
    { number: 2, status: 200 },
  ]);
});

/** Does something whose statement for this delivery is cut off from it, and carried out all the same. */
async function withLostAnswer<T>({ deliveryId }: Pick<DeliveryRequest, 'deliveryId'>, work: (by: EntityManager) => Promise<T>): Promise<T> {
  const { door, em: by } = await throughDoor(orm);
  const answer = await em.transactional(async (tx) => {
    // Who begins an attempt of it waits until this one is withdrawn.
    await tx.insert(WebhookAttempt, { delivery_id: deliveryId, token: uuidv7(), begun_at: new Date() });
    const asked = work(by);
    asked.catch(() => {});
    await untilBlocked(tx);
    await door.down();
    await tx.nativeDelete(WebhookAttempt, { delivery_id: deliveryId });
    return { asked };
  });
  await eventually(() => orm.em.fork().findOne(WebhookAttempt, { delivery_id: deliveryId }));
  await door.up();
  return answer.asked;
}

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
  const local = withLostAnswer(request, (by) => attemptsWith(answered, 50, undefined, undefined, by).attemptLocally(request));
  await expect(local).rejects.toThrow(/Connection terminated/);
  expect(calls).toBe(0);
  expect(await attemptsWith(answered).attemptLocally(request)).toMatchObject({ do: 'end', status: 'delivered' });
  expect(await deliveryOf(request)).toMatchObject({ attempts: 1, attempt_log: [{ number: 1, status: 200 }] });
});

/** What is there of a burst's run. */
function burstOptions() {
  return { milliseconds: 60_000, signal: new AbortController().signal, progress: () => {} };
}

async function inBurst(count: number): Promise<DeliveryRequest[]> {
  const endpointId = uuidv7();
  const requests: DeliveryRequest[] = [];
  for (let each = 0; each < count; each++) requests.push(await newDelivery(undefined, endpointId));
  await em.nativeUpdate(WebhookDelivery, { endpoint_id: endpointId }, { in_lane: true });
  return requests;
}

test('a batch of a burst that has begun and whose process was not told so is no attempt of any of its deliveries', async () => {
  const requests = await inBurst(5);
  const { endpointId } = requests[0]!;
  const slots = new FairSlots({ total: 400, perEndpoint: 4, mostWaiting: 200 });
  const runBy = (by: EntityManager) => {
    const attempts = attemptsWith(async () => TAKEN, 4, undefined, slots, by);
    return createBursts({ em: by, attempts, slots, now: () => new Date(), newId: () => uuidv7() }).run(endpointId, burstOptions());
  };
  await expect(withLostAnswer(requests[2]!, runBy)).rejects.toThrow(/Connection terminated/);
  expect(await runBy(em.fork())).toMatchObject({ state: 'empty', delivered: 5 });
  for (const request of requests) expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('what a burst has begun and not made when the database goes away is no attempt', async () => {
  const requests = await inBurst(5);
  const { endpointId } = requests[0]!;
  const { door, em: by } = await throughDoor(orm);
  const slots = new FairSlots({ total: 400, perEndpoint: 1, mostWaiting: 200 });
  const called = Promise.withResolvers<void>();
  const waitsForDatabase = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const hanging = async () => {
    called.resolve();
    return mayAnswer;
  };
  const log = { ...createLogger('silent'), warn: () => waitsForDatabase.resolve() };
  const attempts = attemptsWith(hanging, 1, log, slots, by);
  const bursts = createBursts({ em: by, attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  const turn = new AbortController();
  const running = bursts.run(endpointId, { ...burstOptions(), signal: turn.signal }).catch((error: unknown) => error);
  await called.promise;
  await door.down();
  turn.abort();
  await Promise.race([running, waitsForDatabase.promise]);
  await door.up();
  const inFlight = () => orm.em.fork().count(WebhookAttempt, { delivery_id: { $in: requests.map(({ deliveryId }) => deliveryId) } });
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
  const slots = new FairSlots({ total: 400, perEndpoint: 4, mostWaiting: 200 });
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  let calls = 0;
  // On connections of their own: what the burst begins holds up no record.
  const { em: by } = await throughDoor(orm);
  const attempts = attemptsWith(async () => (++calls > 110 ? mayAnswer : TAKEN), 4, undefined, slots, by);
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  const turn = new AbortController();
  const delivered = () => orm.em.fork().count(WebhookDelivery, { endpoint_id: endpointId, status: 'delivered' });
  const { running } = await em.transactional(async (tx) => {
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
  await eventually(async () => !(await row(orm.em.fork(), active)));
  expect(await orm.em.fork().count(WebhookAttempt, { delivery_id: { $in: requests.map(({ deliveryId }) => deliveryId) } })).toBe(0);
});

test('an attempt that is cut off while a burst makes it, and the next one of the same turn, are two', async () => {
  const [request] = (await inBurst(1)) as [DeliveryRequest];
  const { deliveryId: id, endpointId } = request;
  const slots = new FairSlots({ total: 400, perEndpoint: 2, mostWaiting: 200 });
  const answers = [Promise.withResolvers<SafeAnswer>(), Promise.withResolvers<SafeAnswer>()];
  let calls = 0;
  const attempts = attemptsWith(() => answers[calls++]!.promise, 2, undefined, slots);
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  const running = bursts.run(endpointId, burstOptions());
  await eventually(() => calls === 1);
  // As by another turn, for which this one was lost from sight.
  const { token, begun_at: begunAt } = await orm.em.fork().findOneOrFail(WebhookAttempt, { delivery_id: id });
  await attempts.cutOff({ id, endpointId, token, begunAt, number: 1 });
  await leaveToBursts(em.fork(), [id]);
  await eventually(() => calls === 2);
  answers[0]!.resolve({ ...TAKEN, status: 500 });
  await eventually(async () => (await orm.em.fork().count(WebhookAttempt, { delivery_id: id })) === 1);
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
  await em.nativeUpdate(WebhookDelivery, { id }, { attempts: MOST_ATTEMPTS - 1 });
  await em.insert(WebhookAttempt, { delivery_id: id, token: uuidv7(), begun_at: new Date() });
  const slots = new FairSlots({ total: 400, perEndpoint: 1, mostWaiting: 200 });
  const attempts = attemptsWith(async () => TAKEN, 1, undefined, slots);
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  expect(await bursts.run(endpointId, burstOptions())).toMatchObject({ state: 'empty', delivered: 0 });
  const log = [{ number: MOST_ATTEMPTS, status: null, error: CUT_OFF.error }];
  expect(await deliveryOf(request)).toMatchObject({ status: 'failed', attempts: MOST_ATTEMPTS, attempt_log: log });
});

test('where first and later attempts wait in a burst they are made in turns, each in order of creation', async () => {
  const requests = await inBurst(9);
  const { endpointId } = requests[0]!;
  const ids = requests.map(({ deliveryId }) => deliveryId);
  const [later, first] = [ids.slice(0, 6), ids.slice(6)];
  await em.nativeUpdate(WebhookDelivery, { id: { $in: later } }, { attempts: 1 });
  const called: string[] = [];
  const slots = new FairSlots({ total: 400, perEndpoint: 1, mostWaiting: 200 });
  const answered = async ({ headers }: SafeRequest) => {
    called.push(headers!['webhook-id']!);
    return TAKEN;
  };
  const attempts = attemptsWith(answered, 1, undefined, slots);
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now: () => new Date(), newId: () => uuidv7() });
  expect(await bursts.run(endpointId, burstOptions())).toMatchObject({ state: 'empty', delivered: 9 });
  const inTurns = [first[0], later[0], first[1], later[1], first[2], later[2], later[3], later[4], later[5]];
  expect(called).toEqual(inTurns);
});

test('a retry by hand while the last attempt of before is in flight has all of its own, whatever becomes of that one', async () => {
  const request = await newDelivery();
  await em.nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { attempts: 5 });
  const called = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<SafeAnswer>();
  const local = attemptsWith(async () => {
    called.resolve();
    return mayAnswer;
  }).attemptLocally(request);
  await called.promise;
  // Its workflow is cancelled meanwhile.
  await em.nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await em.fork().transactional((tx) => retryDelivery(tx, { projectId, endpointId: request.endpointId, id: request.deliveryId }));
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
  await em.nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await em.fork().transactional((tx) => retryDelivery(tx, { projectId, endpointId: request.endpointId, id: request.deliveryId }));
  await endAttempts(orm.em.fork(), [ended(200)]);
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
  await em.insert(WebhookAttempt, { delivery_id: request.deliveryId, token, begun_at: begunAt });
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
  await endAttempts(orm.em.fork(), statuses.map(ended));
  const delivery = await deliveryOf(request);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200 });
  expect(delivery.attempt_log).toMatchObject([{ number: 1, status: 200, error: null, milliseconds: 7 }]);
});

test('a refusal that comes after the attempt was cut off changes nothing', async () => {
  const { request, ended } = await held();
  await endAttempts(orm.em.fork(), [ended(null)]);
  const before = await deliveryOf(request);
  // The next one is in flight by then.
  const next = { delivery_id: request.deliveryId, token: uuidv7(), begun_at: new Date() };
  await em.insert(WebhookAttempt, next);
  await endAttempts(orm.em.fork(), [ended(500)]);
  expect(await deliveryOf(request)).toEqual(before);
  expect(await orm.em.fork().find(WebhookAttempt, { delivery_id: request.deliveryId })).toMatchObject([{ token: next.token }]);
  await endAttempts(orm.em.fork(), [{ ...ended(503), token: next.token, begunAt: next.begun_at }]);
  expect(await deliveryOf(request)).toMatchObject({ attempts: 2, attempt_log: [{ status: null }, { number: 2, status: 503 }] });
});

test('an attempt that is taken back leaves alone the one that has begun after it', async () => {
  const { deliveryId: id } = await newDelivery();
  const token = uuidv7();
  await em.insert(WebhookAttempt, { delivery_id: id, token, begun_at: new Date() });
  await withdrawAttempts(orm.em.fork(), [{ id, token: uuidv7() }]);
  expect(await orm.em.fork().count(WebhookAttempt, { delivery_id: id })).toBe(1);
  await withdrawAttempts(orm.em.fork(), [{ id, token }]);
  expect(await orm.em.fork().count(WebhookAttempt, { delivery_id: id })).toBe(0);
});

test('an outcome that is written twice counts once', async () => {
  const { request, ended } = await held();
  for (let time = 0; time < 2; time++) await endAttempts(orm.em.fork(), [ended(200)]);
  expect(await deliveryOf(request)).toMatchObject({ status: 'delivered', attempts: 1, attempt_log: [{ number: 1 }] });
});

test('a refusal whose delivery was failed meanwhile is counted, and leaves it failed', async () => {
  const { request, ended } = await held();
  await em.nativeUpdate(WebhookDelivery, { id: request.deliveryId }, { status: 'failed' });
  await endAttempts(orm.em.fork(), [ended(500)]);
  expect(await deliveryOf(request)).toMatchObject({ status: 'failed', attempts: 1, response_status: 500 });
});

test('a delivery that has no workflow is started once, and counted as started', async () => {
  const { deliveryId } = await newDelivery();
  const restart = () => em.fork().transactional((tx) => restartDeliveries(tx, [deliveryId]));
  expect(await restart()).toBe(1);
  expect(await restart()).toBe(0);
});
