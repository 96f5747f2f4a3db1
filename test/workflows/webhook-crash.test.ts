import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { WebhookDeliveryRow } from '../../db/entities/index.ts';
import { startEmbedded } from '../support/embedded-stack.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, type EverpostOptions, startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { expectArrivedAsCounted, newEndpoint, type TestEndpoint } from '../support/webhooks.ts';

interface Given {
  readonly stack: Everpost;
  readonly receiver: HttpReceiver;
}

/** Servers of its own for one test: most of what these tests do is waiting, so they wait beside each other. */
async function withEverpost(options: EverpostOptions, run: (given: Given) => Promise<void>): Promise<void> {
  const receiver = await startHttpReceiver();
  const stack = await startEverpost(options);
  try {
    await run({ stack, receiver });
  } finally {
    await stack.stop();
    await receiver.close();
  }
}

const PATIENCE = { timeoutMs: 240_000, everyMs: 250 };
const SMALL_BURST = { WEBHOOK_BURST_AT: '10' };
/** Each call takes a moment, so that some are in hand whenever a worker dies. */
const aMoment = () => sleep(20);

/** All of them delivered and arrived as counted, and no lane left over. */
async function expectDelivered(endpoint: TestEndpoint, count: number): Promise<WebhookDeliveryRow[]> {
  const deliveries = await endpoint.all(count, 'delivered', PATIENCE);
  // What a frozen worker had in hand may be counted after the delivery is settled.
  await eventually(() => {
    expectArrivedAsCounted(deliveries, endpoint.calls());
    return true;
  }).catch(async () => expectArrivedAsCounted(await endpoint.deliveries(), endpoint.calls()));
  await eventually(async () => !(await endpoint.row()).has_lane, PATIENCE);
  return deliveries;
}

test.concurrent('a worker that is killed with deliveries in every state loses none and makes none more often than it counts', async () => {
  await withEverpost({ worker: false }, async ({ stack, receiver }) => {
    const [quick, refusing, hanging] = [
      await newEndpoint(receiver, { everpost: stack }),
      await newEndpoint(receiver, { everpost: stack }),
      await newEndpoint(receiver, { everpost: stack }),
    ];
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    receiver.holdUp(hanging.path, mayAnswer);
    receiver.answer(refusing.path, ...Array(60).fill({ status: 503, headers: { 'retry-after': '30' } }));
    const worker = stack.addWorker();
    await Promise.all([quick.happens(60), refusing.happens(60), hanging.happens(80)]);
    // Settled, in timers, in hand, and in the line for a place.
    await quick.all(60, 'delivered');
    await eventually(async () => (await refusing.deliveries()).every(({ attempts }) => attempts === 1), { timeoutMs: 30_000 });
    await eventually(() => hanging.calls().length >= 50);
    await worker.process.kill();
    answer();
    stack.addWorker();
    await expectDelivered(quick, 60);
    await expectDelivered(refusing, 60);
    const deliveries = await expectDelivered(hanging, 80);
    const cutOff = deliveries.filter(({ attempt_log }) => attempt_log[0]?.error?.startsWith('cut off'));
    expect(cutOff.length).toBeGreaterThan(0);
  });
}, 400_000);

test.concurrent('a worker that is killed three times in the middle of a burst loses nothing and makes no call more often than it counts', async () => {
  const SIZE = 3_000;
  await withEverpost({ worker: false, env: SMALL_BURST }, async ({ stack, receiver }) => {
    const endpoint = await newEndpoint(receiver, { everpost: stack });
    receiver.holdUp(endpoint.path, aMoment);
    await endpoint.happens(SIZE);
    for (let kill = 1; kill <= 3; kill++) {
      const worker = stack.addWorker();
      const before = endpoint.calls().length;
      await eventually(() => endpoint.calls().length >= before + 400, { timeoutMs: 90_000, everyMs: 10 });
      await worker.process.kill();
    }
    expect(endpoint.calls().length).toBeLessThan(SIZE);
    stack.addWorker();
    await expectDelivered(endpoint, SIZE);
    // No more came twice than were in hand at the kills.
    expect(endpoint.calls().length - SIZE).toBeLessThanOrEqual(3 * 500);
  });
}, 400_000);

test.concurrent('a worker that was frozen past its time-outs, and comes back, spoils nothing of what another has done', async () => {
  const SIZE = 1_500;
  await withEverpost({ worker: false, env: SMALL_BURST }, async ({ stack, receiver }) => {
    const [burst, single] = [await newEndpoint(receiver, { everpost: stack }), await newEndpoint(receiver, { everpost: stack })];
    receiver.holdUp(burst.path, aMoment);
    receiver.holdUp(single.path, aMoment);
    const frozen = stack.addWorker();
    await burst.happens(SIZE);
    await eventually(() => burst.calls().length >= 300, { timeoutMs: 60_000, everyMs: 10 });
    await single.happens(10);
    await eventually(() => single.calls().length >= 1, { everyMs: 1 });
    await frozen.signal('SIGSTOP');
    const other = stack.addWorker();
    await burst.all(SIZE, 'delivered', PATIENCE);
    await single.all(10, 'delivered', PATIENCE);
    await frozen.signal('SIGCONT');
    // It ends what it had in hand.
    await frozen.process.stop();
    expect(other.process.running).toBe(true);
    await expectDelivered(burst, SIZE);
    await expectDelivered(single, 10);
    await burst.happens(1);
    await expectDelivered(burst, SIZE + 1);
  });
}, 400_000);

test.concurrent('PostgreSQL that is away between the call and its record costs no second call', async () => {
  const proxy = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
  try {
    await withEverpost({ databaseAddress: proxy.address, env: SMALL_BURST }, async ({ stack, receiver }) => {
      const endpoint = await newEndpoint(receiver, { everpost: stack });
      const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
      receiver.holdUp(endpoint.path, mayAnswer);
      await endpoint.happens(10);
      await endpoint.happens(30);
      // By workflows and by the lane.
      await eventually(() => endpoint.calls().length === 40, { timeoutMs: 30_000 });
      await proxy.down();
      answer();
      await sleep(5_000);
      await proxy.up();
      await expectDelivered(endpoint, 40);
      expect(endpoint.calls()).toHaveLength(40);
    });
  } finally {
    await proxy.close();
  }
}, 300_000);

test.concurrent('Temporal that is away in the middle of a burst loses nothing', async () => {
  const SIZE = 1_000;
  const proxy = await tcpProxy(testEnvironment().temporalAddress);
  try {
    await withEverpost({ temporalAddress: proxy.address, env: SMALL_BURST }, async ({ stack, receiver }) => {
      const endpoint = await newEndpoint(receiver, { everpost: stack });
      receiver.holdUp(endpoint.path, aMoment);
      await endpoint.happens(SIZE);
      await eventually(() => endpoint.calls().length >= 200, { timeoutMs: 60_000, everyMs: 10 });
      await proxy.down();
      await endpoint.happens(20);
      await sleep(15_000);
      await proxy.up();
      await expectDelivered(endpoint, SIZE + 20);
    });
  } finally {
    await proxy.close();
  }
}, 400_000);

test.concurrent('everything killed at one instant in the middle of a burst loses nothing and makes no call more often than it counts', async () => {
  const SIZE = 2_000;
  const receiver = await startHttpReceiver();
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'webhooks-'));
  let stack = await startEmbedded(dataDir, SMALL_BURST);
  try {
    // Its database comes back on another port.
    const everpost = { url: stack.url, databaseUrl: stack.databaseUrl };
    const endpoint = await newEndpoint(receiver, { everpost });
    receiver.holdUp(endpoint.path, aMoment);
    await endpoint.happens(SIZE);
    await eventually(() => endpoint.calls().length >= 400, { timeoutMs: 60_000, everyMs: 10 });
    await stack.kill();
    expect(endpoint.calls().length).toBeLessThan(SIZE);
    stack = await startEmbedded(dataDir, SMALL_BURST);
    everpost.databaseUrl = stack.databaseUrl;
    await expectDelivered(endpoint, SIZE);
  } finally {
    await stack.stop();
    await receiver.close();
  }
}, 400_000);
