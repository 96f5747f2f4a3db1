import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chain } from '../domain/sequences/graphs.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { enrollmentIn, newFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject } from '../support/project.ts';
import { enrollmentEnds, must, newContact, traceOf } from '../support/sequences.ts';
import { historyOf, readable, temporalClient, workflowHistory } from '../support/temporal.ts';
import { expectArrivedAsCounted, newEndpoint } from '../support/webhooks.ts';

const CONCURRENCY = 5;
/** Endpoints with fewer events have no burst. */
const BURST_AT = 30;

let everpost: Everpost;
let receiver: HttpReceiver;
let client: Client;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  everpost = await startEverpost({
    env: { WEBHOOK_BURST_AT: String(BURST_AT), WEBHOOK_ENDPOINT_CONCURRENCY: String(CONCURRENCY), WEBHOOK_RETRY_BASE_SECONDS: '2' },
  });
  client = await temporalClient(everpost.namespace);
});
afterAll(async () => {
  await everpost?.stop();
  await receiver?.close();
});

/** Lets calls to these paths hang until `letGo`. */
function hanging(...paths: string[]): { letGo(): void; answered(): boolean } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answered = false;
  for (const path of paths) receiver.holdUp(path, promise);
  return {
    letGo() {
      answered = true;
      resolve();
    },
    answered: () => answered,
  };
}

/** Long enough for calls that may be made at once to be in flight together. */
const aMoment = () => sleep(15);
const PATIENCE = { timeoutMs: 120_000 };

test('while an endpoint hangs on each of many calls, all events of another arrive', async () => {
  const [slow, quick] = [await newEndpoint(receiver, { everpost }), await newEndpoint(receiver, { everpost })];
  const { letGo } = hanging(slow.path);
  // By workflows and by a burst.
  await slow.happens(BURST_AT);
  await slow.happens(20);
  await eventually(() => receiver.mostAtOnce(slow.path) === CONCURRENCY);
  await quick.happens(20);
  expectArrivedAsCounted(await quick.all(20, 'delivered', PATIENCE), quick.calls());
  await quick.happens(BURST_AT + 50);
  expectArrivedAsCounted(await quick.all(BURST_AT + 70, 'delivered', PATIENCE), quick.calls());
  // Not one of them has been answered.
  expect((await slow.deliveries()).filter(({ response_status }) => response_status !== null)).toEqual([]);
  expect(receiver.mostAtOnce(slow.path)).toBe(CONCURRENCY);
  letGo();
}, 200_000);

test('while more endpoints hang than local attempts are made, of one project and of many, enrollments and events of others go on', async () => {
  const project = await newProject({ everpost });
  const slow = await Promise.all([
    ...Array.from({ length: 8 }, () => newEndpoint(receiver, { everpost, project })),
    ...Array.from({ length: 8 }, () => newEndpoint(receiver, { everpost })),
  ]);
  const { letGo } = hanging(...slow.map(({ path }) => path));
  await Promise.all([slow[0]!.happens(8), ...slow.slice(8).map((endpoint) => endpoint.happens(8))]);
  await eventually(() => slow.every((endpoint) => endpoint.calls().length > 0), PATIENCE);
  const quick = await newEndpoint(receiver, { everpost });
  const flow = await newFlow(quick.project, chain({ id: 'd', kind: 'wait_delay', config: { minutes: 0.001 } }));
  const em = await database(everpost.databaseUrl);
  for (let each = 0; each < 8; each++) {
    const email = quick.project.address();
    await newContact(quick.project, email);
    await enrollmentEnds(em, await flow.enroll(email));
  }
  expectArrivedAsCounted(await quick.all(8, 'delivered'), quick.calls());
  for (const endpoint of slow) expect((await endpoint.deliveries()).filter(({ response_status }) => response_status !== null)).toEqual([]);
  letGo();
}, 200_000);

test('an endpoint never has more calls at once than it may, one by one and in a burst', async () => {
  const [single, burst] = [await newEndpoint(receiver, { everpost }), await newEndpoint(receiver, { everpost })];
  const { letGo } = hanging(single.path, burst.path);
  await Promise.all([single.happens(BURST_AT), burst.happens(5 * BURST_AT)]);
  await eventually(() => [single, burst].every(({ path }) => receiver.mostAtOnce(path) >= CONCURRENCY));
  for (const { path } of [single, burst]) receiver.holdUp(path, aMoment);
  letGo();
  expectArrivedAsCounted(await single.all(BURST_AT, 'delivered', PATIENCE), single.calls());
  expectArrivedAsCounted(await burst.all(5 * BURST_AT, 'delivered', PATIENCE), burst.calls());
  expect(receiver.mostAtOnce(single.path)).toBe(CONCURRENCY);
  expect(receiver.mostAtOnce(burst.path)).toBe(CONCURRENCY);
}, 200_000);

test('many retries at one instant are no more calls at once than the endpoint may have, and waiting for a place is no attempt', async () => {
  const SIZE = BURST_AT + 10;
  const endpoint = await newEndpoint(receiver, { everpost });
  receiver.holdUp(endpoint.path, aMoment);
  receiver.answer(endpoint.path, ...Array(SIZE).fill({ status: 503, headers: { 'retry-after': '8' } }));
  await endpoint.happens(SIZE);
  await eventually(async () => (await endpoint.deliveries()).every(({ attempts }) => attempts >= 1), PATIENCE);
  const deliveries = await endpoint.all(SIZE, 'delivered', { timeoutMs: 180_000 });
  expectArrivedAsCounted(deliveries, endpoint.calls());
  expect(deliveries.every(({ attempts }) => attempts === 2)).toBe(true);
  expect(endpoint.calls()).toHaveLength(2 * SIZE);
  expect(receiver.mostAtOnce(endpoint.path)).toBe(CONCURRENCY);
}, 300_000);

test('a delivery that finds no place says until when it waits, that no call was made, and that it asks for a place again', async () => {
  const endpoint = await newEndpoint(receiver, { everpost });
  const { letGo } = hanging(endpoint.path);
  await endpoint.happens(CONCURRENCY + 1);
  await eventually(() => receiver.mostAtOnce(endpoint.path) === CONCURRENCY, PATIENCE);
  // Those in flight hang for longer than a place is waited for.
  await eventually(async () => {
    const deliveries = await endpoint.deliveries();
    const histories = await Promise.all(deliveries.map(({ id }) => workflowHistory(client, `webhook/${id}`)));
    return histories.map(readable).some((history) => /waits for a place until \d\S+Z: [^"]*; no call made yet/.test(history));
  }, PATIENCE);
  letGo();
  await endpoint.all(CONCURRENCY + 1, 'delivered', PATIENCE);
  const waited = await Promise.all((await endpoint.deliveries()).map(({ id }) => workflowHistory(client, `webhook/${id}`)));
  expect(waited.map(readable).filter((history) => history.includes('asks for a place again, for attempt 1 of 6'))).toHaveLength(1);
}, 200_000);

test('webhook nodes share the places of their host, and waiting for one is no try', async () => {
  const project = await newProject({ everpost });
  const path = `/node-${project.slug}`;
  const { letGo } = hanging(path);
  const node = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}`, timeoutSeconds: 30 } };
  const flow = await newFlow(project, chain(node));
  const em = await database(everpost.databaseUrl);
  const emails = Array.from({ length: CONCURRENCY + 3 }, () => project.address());
  const contacts = emails.map((email) => ({ email }));
  must(await project.api.post('/contacts', contacts), 200);
  // At once, so that all ask for a place while the first have it.
  must(await project.api.post(`/sequences/${flow.key}/enroll/bulk`, { emails }), 200);
  const ids: string[] = [];
  for (const email of emails) ids.push(await enrollmentIn(em, flow.id, email));
  const waits = async () => {
    const histories = await Promise.all(ids.map((id) => historyOf(client, id)));
    return histories.filter((history) => readable(history).match(/hook: waits for a place until \d\S+Z: .*?; no call made yet/)).length;
  };
  await eventually(async () => (await waits()) === 3, { timeoutMs: 60_000, everyMs: 250 });
  expect(receiver.calls(path)).toHaveLength(CONCURRENCY);
  letGo();
  for (const id of ids) {
    await enrollmentEnds(em, id);
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook called', 'exit ended']);
  }
  expect(receiver.calls(path)).toHaveLength(CONCURRENCY + 3);
}, 200_000);
