import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../../db/entities/index.ts';
import { row, rows } from '../../../db/rows.ts';
import { MOST_LOGGED } from '../../../domain/webhooks/delivery.ts';
import { deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { listening } from '../../api/webhooks/listening.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually, type Patience } from '../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { createEndpoint, type Delivery, deliveriesOf, deliveriesSettle } from '../../support/webhook-endpoints.ts';

let project: TestProject;
let receiver: HttpReceiver;
beforeAll(async () => {
  project = await newProject();
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());
const FIVE_REFUSALS_AND_MORE = [500, 501, 502, 503, 410, 302] as const;

describe('a retry by hand', () => {
  test('begins a settled delivery again: same id and body, a fresh set of attempts, and the log of all', async () => {
    const { own, id, subscribe, retry } = await listening(receiver, '/again');
    receiver.answer('/again', ...FIVE_REFUSALS_AND_MORE, 500);
    await subscribe('again');
    const [failed] = await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 });
    expect(failed).toMatchObject({ status: 'failed', attempts: 6, response_status: 302, next_attempt_at: failed.attempt_log[5].at });
    const { delivery } = must(await retry(failed.id), 200);
    expect(delivery).toMatchObject({ id: failed.id, status: 'pending', attempts: 0, response_status: null, payload: failed.payload });
    const [delivered] = await deliveriesSettle(own, id, 1);
    expect(delivered).toMatchObject({ status: 'delivered', attempts: 2, response_status: 200 });
    expect(delivered.attempt_log.map(({ series, number, status }: Delivery) => [series, number, status])).toEqual([
      ...FIVE_REFUSALS_AND_MORE.map((status, index) => [1, index + 1, status]),
      [2, 1, 500],
      [2, 2, 200],
    ]);
    expect(new Set(receiver.calls('/again').map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1);
    must(await retry(failed.id), 200);
    expect((await deliveriesSettle(own, id, 1))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('has six attempts also when one is in flight, or when a worker that was killed has left one', async () => {
    const { own, id, subscribe, retry } = await listening(receiver, '/in-flight');
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/in-flight', gate.promise);
    await subscribe('in-flight');
    await eventually(() => receiver.calls('/in-flight').length === 1);
    const [{ id: deliveryId }] = (await deliveriesOf(own, id)) as [Delivery];
    const handle = (await temporalClient()).workflow.getHandle(deliveryWorkflowId(deliveryId));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    receiver.holdUp('/in-flight', Promise.resolve());
    receiver.answer('/in-flight', ...Array(12).fill(500));
    must(await retry(deliveryId), 200);
    const [failed] = await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 });
    const inSeries = (series: number, status: number | null, count: number) =>
      Array.from({ length: count }, (_, index) => [series, index + 1, status]);
    const shown = ({ attempt_log }: Delivery) => attempt_log.map(({ series, number, status }: Delivery) => [series, number, status]);
    expect([failed.status, failed.attempts, shown(failed)]).toEqual(['failed', 6, [...inSeries(1, null, 1), ...inSeries(2, 500, 6)]]);
    expect(receiver.calls('/in-flight')).toHaveLength(7);

    await (await database()).insert(WebhookAttempt, { delivery_id: deliveryId, token: uuidv7(), begun_at: new Date() });
    must(await retry(deliveryId), 200);
    const [again] = await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 });
    expect([again.status, again.attempts, shown(again).slice(8)]).toEqual(['failed', 6, inSeries(3, 500, 6)]);
    expect(shown(again)[7]).toEqual([2, 7, null]);
    expect(receiver.calls('/in-flight')).toHaveLength(13);
    gate.resolve();
  }, 120_000);

  test('of two at once one begins it, and the other is told that it is pending', async () => {
    const { own, id, subscribe, retry } = await listening(receiver, '/two');
    await subscribe('two');
    const [{ id: deliveryId }] = (await deliveriesSettle(own, id, 1)) as [Delivery];
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/two', gate.promise);
    const both = await (await database()).transactional(async (tx) => {
      await row(tx, sql`select 1 from webhook_deliveries where id = ${deliveryId} for update`);
      const started = [retry(deliveryId), retry(deliveryId)];
      await untilBlocked(tx, started.length);
      return started;
    });
    const answers = await Promise.all(both);
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 'delivery_pending']);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    gate.resolve();
    const [delivery] = await deliveriesSettle(own, id, 1);
    expect(delivery.attempt_log).toHaveLength(2);
    expect((await (await database()).findOneOrFail(WebhookDelivery, { id: deliveryId })).series).toBe(2);
  });

  test('finds only what its project and its endpoint have', async () => {
    const { own, id, subscribe, retry } = await listening(receiver, '/whose');
    await subscribe('whose');
    const [{ id: deliveryId }] = (await deliveriesSettle(own, id, 1)) as [Delivery];
    const sibling = await createEndpoint(own, receiver.url);
    const foreign = await createEndpoint(project, receiver.url);
    const answers = [
      await retry(deliveryId, project),
      await project.api.post(`/webhooks/${foreign.id}/deliveries/${deliveryId}/retry`),
      await own.api.post(`/webhooks/${sibling.id}/deliveries/${deliveryId}/retry`),
      await retry('none'),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'not_found']));
    expect(await deliveriesOf(own, id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  test('does not let the log of attempts grow without end', async () => {
    const { own, id, subscribe, retry } = await listening(receiver, '/long');
    await subscribe('long');
    const [{ id: deliveryId }] = (await deliveriesSettle(own, id, 1)) as [Delivery];
    const entry = (number: number) => ({ series: 1, number, at: '2026-01-01T00:00:00.000Z', status: 500, error: null, milliseconds: 1 });
    const log = JSON.stringify(Array.from({ length: MOST_LOGGED }, (_, index) => entry(index)));
    await rows(await database(), sql`update webhook_deliveries set attempt_log = ${log}::jsonb where id = ${deliveryId}`);
    must(await retry(deliveryId), 200);
    const [{ attempt_log }] = (await deliveriesSettle(own, id, 1)) as [Delivery];
    expect(attempt_log).toHaveLength(MOST_LOGGED - 5);
    expect([attempt_log[0].number, attempt_log.at(-2).number, attempt_log.at(-1).series]).toEqual([6, MOST_LOGGED - 1, 2]);
  });
});

describe('an attempt by hand before its time', () => {
  const IN_AN_HOUR = { status: 503, headers: { 'retry-after': '3600' } };

  /** Deliveries that were refused, and whose next attempt is an hour away. */
  async function refused(path: string, count = 1, patience: Patience = {}) {
    const of = await listening(receiver, path);
    receiver.answer(path, ...Array(count).fill(IN_AN_HOUR));
    await of.subscribe(...Array.from({ length: count }, (_, index) => `refused-${index}`));
    const deliveries = await eventually(async () => {
      const found = await deliveriesOf(of.own, of.id);
      return found.length === count && found.every(({ attempts }) => attempts === 1) && found;
    }, patience);
    const attempt = async (deliveryId = deliveries[0].id) =>
      must(await of.own.api.post(`/webhooks/${of.id}/deliveries/${deliveryId}/attempt`), 200);
    const attemptAll = async () => must(await of.own.api.post(`/webhooks/${of.id}/deliveries/attempt`), 200);
    return { ...of, deliveries, attempt, attemptAll };
  }

  test('is made at once by a receiver that is mended, once however often it is asked for, and changes nothing afterwards', async () => {
    const { own, id, deliveries, attempt } = await refused('/mended');
    const waiting = async () => must(await own.api.get(`/webhooks/${id}/retries/latest`), 200).waiting;
    expect(await waiting()).toBe(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => attempt()));
    expect(answers.map(({ outcome }) => outcome)).toContain('due');
    const [delivered] = await deliveriesSettle(own, id, 1);
    expect(delivered).toMatchObject({ id: deliveries[0].id, status: 'delivered', attempts: 2 });
    expect(await waiting()).toBe(0);
    expect(await attempt()).toMatchObject({ outcome: 'settled', delivery: delivered });
    expect(await attempt()).toMatchObject({ outcome: 'settled' });
    expect([receiver.calls('/mended').length, receiver.mostAtOnce('/mended')]).toEqual([2, 1]);
  });

  test('is no other one while one is made: that ends, and the next is planned as ever', async () => {
    const { own, id, attempt, attemptAll } = await refused('/under-way');
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/under-way', gate.promise);
    receiver.answer('/under-way', IN_AN_HOUR);
    const { outcome, delivery } = await attempt();
    expect([outcome, Date.parse(delivery.next_attempt_at) <= Date.now() + 1_000]).toEqual(['due', true]);
    await eventually(() => receiver.calls('/under-way').length === 2);
    expect([(await attempt()).outcome, (await attemptAll()).due]).toEqual(['under_way', 0]);
    gate.resolve();
    const refusedAgain = await eventually(async () => (await deliveriesOf(own, id)).find(({ attempts }) => attempts === 2));
    expect(refusedAgain.status).toBe('pending');
    expect(Date.parse(refusedAgain.next_attempt_at)).toBeGreaterThan(Date.now() + 3_000_000);
    expect([receiver.calls('/under-way').length, receiver.mostAtOnce('/under-way')]).toEqual([2, 1]);
  });

  test('is not made while the endpoint is disabled, and not later either', async () => {
    const { deliveries, patch, attempt, attemptAll } = await refused('/disabled');
    await patch({ enabled: false });
    expect(await attempt()).toMatchObject({ outcome: 'held', delivery: { next_attempt_at: deliveries[0].next_attempt_at } });
    expect(await attemptAll()).toMatchObject({ due: 0, hasMore: false });
  });

  test('is made of all that an endpoint has waiting, also of those whose workflows have not begun, each once', async () => {
    // More than are started at once: the others were refused in a burst, and their workflows begin with the second attempt.
    const COUNT = 230;
    const { own, id, attemptAll } = await refused('/all', COUNT, { timeoutMs: 90_000 });
    expect(await attemptAll()).toMatchObject({ due: COUNT, hasMore: false });
    await attemptAll();
    const settled = await deliveriesSettle(own, id, COUNT, { timeoutMs: 90_000 });
    expect(settled.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(COUNT).fill('delivered 2'));
    expect(receiver.calls('/all')).toHaveLength(2 * COUNT);
  }, 240_000);

  test('is asked for by keys that may, of deliveries that the endpoint has', async () => {
    const { own, id, deliveries } = await refused('/asked');
    const reader = await own.newKey(['contacts:read']);
    const sibling = await createEndpoint(own, receiver.url);
    const paths = [`${sibling.id}/deliveries/${deliveries[0].id}/attempt`, `${id}/deliveries/none/attempt`];
    for (const path of paths) expect((await own.api.post(`/webhooks/${path}`)).status).toBe(404);
    for (const path of [`${id}/deliveries/attempt`, `${id}/deliveries/${deliveries[0].id}/attempt`])
      expect([(await reader.api.post(`/webhooks/${path}`)).status, (await project.api.post(`/webhooks/${path}`)).status]).toEqual([
        403, 404,
      ]);
  });
});
