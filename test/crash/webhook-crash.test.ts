import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookDeliveryRow } from '../../db/entities/index.ts';
import { startEmbedded } from '../support/embedded-stack.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { expectArrivedAsCounted, newEndpoint, type TestEndpoint } from '../support/webhooks.ts';

const BURST_AT = 30;
/** Fewer than happen to an endpoint that has no burst, so that some wait for a place. */
const CONCURRENCY = 20;

let receiver: HttpReceiver;
/** PostgreSQL and Temporal are reached through these. */
let database: TcpProxy;
let temporal: TcpProxy;
/** Each test adds its workers. */
let stack: Everpost;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  database = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
  temporal = await tcpProxy(testEnvironment().temporalAddress);
  stack = await startEverpost({
    worker: false,
    databaseAddress: database.address,
    temporalAddress: temporal.address,
    env: { WEBHOOK_BURST_AT: String(BURST_AT), WEBHOOK_ENDPOINT_CONCURRENCY: String(CONCURRENCY) },
  });
});

afterAll(async () => {
  await stack?.stop();
  await Promise.all([database?.close(), temporal?.close(), receiver?.close()]);
});

const PATIENCE = { timeoutMs: 120_000, everyMs: 250 };
/** Each call takes a moment, so that some are in flight whenever a worker dies. */
const aMoment = () => sleep(20);

/** All of them delivered and arrived as counted, and no burst left over. */
async function expectDelivered(endpoint: TestEndpoint, count: number): Promise<WebhookDeliveryRow[]> {
  const deliveries = await endpoint.all(count, 'delivered', PATIENCE);
  // What a frozen worker had in flight may be counted after the delivery is settled.
  await eventually(() => {
    expectArrivedAsCounted(deliveries, endpoint.calls());
    return true;
  }).catch(async () => expectArrivedAsCounted(await endpoint.deliveries(), endpoint.calls()));
  await eventually(async () => !(await endpoint.row()).has_lane, PATIENCE);
  return deliveries;
}

test('a worker that is killed with deliveries in every state, in the middle of a burst, loses none and makes none more often than it counts', async () => {
  const BURST = 1_000;
  const endpoints = await Promise.all(Array.from({ length: 5 }, () => newEndpoint(receiver, { everpost: stack })));
  const [quick, refusing, hanging, further, burst] = endpoints as [TestEndpoint, TestEndpoint, TestEndpoint, TestEndpoint, TestEndpoint];
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(hanging.path, mayAnswer);
  receiver.holdUp(burst.path, aMoment);
  receiver.answer(refusing.path, ...Array(BURST_AT).fill({ status: 503, headers: { 'retry-after': '12' } }));
  const killed = stack.addWorker();
  await Promise.all([quick.happens(BURST_AT), refusing.happens(BURST_AT), hanging.happens(BURST_AT), further.happens(20)]);
  // Settled, in timers, in flight, and in the line for a place.
  await quick.all(BURST_AT, 'delivered', PATIENCE);
  await eventually(async () => (await refusing.deliveries()).every(({ attempts }) => attempts >= 1), PATIENCE);
  await eventually(() => hanging.calls().length >= CONCURRENCY, PATIENCE);
  await burst.happens(BURST);
  await eventually(() => burst.calls().length >= 200, { ...PATIENCE, everyMs: 10 });
  await killed.process.kill();
  expect(burst.calls().length).toBeLessThan(BURST);
  answer();
  const worker = stack.addWorker();
  await expectDelivered(quick, BURST_AT);
  await expectDelivered(refusing, BURST_AT);
  await expectDelivered(further, 20);
  await expectDelivered(burst, BURST);
  const deliveries = await expectDelivered(hanging, BURST_AT);
  const cutOff = deliveries.filter(({ attempt_log }) => attempt_log[0]?.error?.startsWith('cut off'));
  expect(cutOff.length).toBeGreaterThan(0);
  await worker.process.stop();
}, 400_000);

test('a worker that is killed three times in the middle of a burst loses nothing and makes no call more often than it counts', async () => {
  const SIZE = 2_000;
  const endpoint = await newEndpoint(receiver, { everpost: stack });
  receiver.holdUp(endpoint.path, aMoment);
  await endpoint.happens(SIZE);
  for (let kill = 1; kill <= 3; kill++) {
    const killed = stack.addWorker();
    const before = endpoint.calls().length;
    await eventually(() => endpoint.calls().length >= before + 200, { timeoutMs: 90_000, everyMs: 10 });
    await killed.process.kill();
  }
  expect(endpoint.calls().length).toBeLessThan(SIZE);
  const worker = stack.addWorker();
  await expectDelivered(endpoint, SIZE);
  // No more came twice than were in flight at the kills.
  expect(endpoint.calls().length - SIZE).toBeLessThanOrEqual(3 * 500);
  await worker.process.stop();
}, 400_000);

test('a worker that was frozen past its time-outs, and comes back, spoils nothing of what another has done', async () => {
  const SIZE = 1_500;
  const [burst, single] = [await newEndpoint(receiver, { everpost: stack }), await newEndpoint(receiver, { everpost: stack })];
  receiver.holdUp(burst.path, aMoment);
  receiver.holdUp(single.path, aMoment);
  const frozen = stack.addWorker();
  await burst.happens(SIZE);
  await eventually(() => burst.calls().length >= 300, { timeoutMs: 60_000, everyMs: 10 });
  await single.happens(10);
  await eventually(() => single.calls().length >= 1, { timeoutMs: 60_000, everyMs: 1 });
  await frozen.signal('SIGSTOP');
  const other = stack.addWorker();
  await burst.all(SIZE, 'delivered', PATIENCE);
  await single.all(10, 'delivered', PATIENCE);
  await frozen.signal('SIGCONT');
  // It ends what it had in flight.
  await frozen.process.stop();
  expect(other.process.running).toBe(true);
  await expectDelivered(burst, SIZE);
  await expectDelivered(single, 10);
  await burst.happens(1);
  await expectDelivered(burst, SIZE + 1);
  await other.process.stop();
}, 400_000);

test('PostgreSQL and Temporal that are away in the middle lose nothing, and between a call and its record cost no second call', async () => {
  const SIZE = 1_000;
  const [single, small, burst] = [
    await newEndpoint(receiver, { everpost: stack }),
    await newEndpoint(receiver, { everpost: stack }),
    await newEndpoint(receiver, { everpost: stack }),
  ];
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(single.path, mayAnswer);
  receiver.holdUp(small.path, mayAnswer);
  const worker = stack.addWorker();
  await single.happens(10);
  await small.happens(BURST_AT + 1);
  await eventually(() => single.calls().length === 10 && small.calls().length === CONCURRENCY, PATIENCE);
  await database.down();
  answer();
  await sleep(5_000);
  await database.up();
  await expectDelivered(single, 10);
  await expectDelivered(small, BURST_AT + 1);
  expect(single.calls()).toHaveLength(10);
  expect(small.calls()).toHaveLength(BURST_AT + 1);

  receiver.holdUp(burst.path, aMoment);
  await burst.happens(SIZE);
  await eventually(() => burst.calls().length >= 200, { timeoutMs: 60_000, everyMs: 10 });
  await temporal.down();
  await burst.happens(20);
  await sleep(15_000);
  await temporal.up();
  await expectDelivered(burst, SIZE + 20);
  await worker.process.stop();
}, 400_000);

test('everything killed at one instant in the middle of a burst loses nothing and makes no call more often than it counts', async () => {
  const SIZE = 2_000;
  const env = { WEBHOOK_BURST_AT: String(BURST_AT) };
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'webhooks-'));
  let embedded = await startEmbedded(dataDir, env);
  try {
    // Its database comes back on another port.
    const everpost = { url: embedded.url, databaseUrl: embedded.databaseUrl };
    const endpoint = await newEndpoint(receiver, { everpost });
    receiver.holdUp(endpoint.path, aMoment);
    await endpoint.happens(SIZE);
    await eventually(() => endpoint.calls().length >= 400, { timeoutMs: 60_000, everyMs: 10 });
    await embedded.kill();
    expect(endpoint.calls().length).toBeLessThan(SIZE);
    embedded = await startEmbedded(dataDir, env);
    everpost.databaseUrl = embedded.databaseUrl;
    await expectDelivered(endpoint, SIZE);
  } finally {
    await embedded.stop();
  }
}, 400_000);
