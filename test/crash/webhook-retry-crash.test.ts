import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookDelivery } from '../../db/entities/index.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { failedDeliveries } from '../support/failed-deliveries.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database } from '../support/project.ts';
import { must } from '../support/sequences.ts';

let receiver: HttpReceiver;
/** The test adds its workers. */
let stack: Everpost;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  stack = await startEverpost({ worker: false });
});
afterAll(async () => {
  await stack?.stop();
  await receiver?.close();
});

const PATIENCE = { timeoutMs: 120_000, everyMs: 250 };
/** Several times what may wait for an endpoint. */
const MANY = 4_000;
/** Each call takes a moment, so that the retry is in the middle whenever its worker dies. */
const aMoment = () => sleep(20);

test('a retry whose worker is killed in the middle goes on, and begins each delivery again once', async () => {
  const { id, path, latest, begin } = await failedDeliveries(receiver, '/killed', MANY, stack);
  receiver.holdUp(path, aMoment);
  const killed = stack.addWorker();
  must(await begin(), 201);
  await eventually(() => receiver.calls(path).length >= 500, { ...PATIENCE, everyMs: 10 });
  await killed.process.kill();
  const { retry } = await latest();
  expect(retry).toMatchObject({ status: 'running' });
  expect(retry?.retried).toBeLessThan(MANY);
  const worker = stack.addWorker();
  const { retry: ended } = await eventually(async () => {
    const seen = await latest();
    return seen.retry?.status === 'completed' && seen.failed === 0 && seen;
  }, PATIENCE);
  expect(ended).toMatchObject({ total: MANY, retried: MANY });
  await eventually(() => new Set(receiver.calls(path).map(({ headers }) => headers['webhook-id'])).size === MANY, PATIENCE);
  const em = await database(stack.databaseUrl);
  // The second series, and no third.
  expect(await em.count(WebhookDelivery, { endpoint_id: id, series: 2 })).toBe(MANY);
  await worker.process.stop();
}, 300_000);
