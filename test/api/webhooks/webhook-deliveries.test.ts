import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../../db/entities/index.ts';
import { emit } from '../../../db/queries/webhooks/emit.ts';
import { row, rows } from '../../../db/rows.ts';
import { MOST_LOGGED } from '../../../domain/webhooks/delivery.ts';
import { changeEndpoint } from '../../../usecases/webhooks/change-endpoint.ts';
import { burstWorkflowId, deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually, type Patience } from '../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { createEndpoint, type Delivery, deliveriesOf, deliveriesSettle } from '../../support/webhook-endpoints.ts';

let project: TestProject;
let receiver: HttpReceiver;
beforeAll(async () => {
  project = await newProject();
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const SUBSCRIBED = { events: ['contact.subscribed'] } as const;
const FIVE_REFUSALS_AND_MORE = [500, 501, 502, 503, 410, 302] as const;

/** A project of its own, with an endpoint for contacts that subscribe. */
async function listening(path: string) {
  const own = await newProject();
  const { id, secret } = await createEndpoint(own, `${receiver.url}${path}`, SUBSCRIBED);
  const subscribe = (...names: readonly string[]) =>
    own.api.post(
      '/contacts',
      names.map((name) => ({ email: own.address(name) })),
    );
  const patch = async (body: object) => must(await own.api.call('PATCH', `/webhooks/${id}`, body), 200).endpoint;
  const retry = (deliveryId: string, by = own) => by.api.post(`/webhooks/${id}/deliveries/${deliveryId}/retry`);
  return { own, id, secret, subscribe, patch, retry };
}

const list = async (own: TestProject, id: string, query = '') => must(await own.api.get(`/webhooks/${id}/deliveries?${query}`), 200);
const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

/** All that a query leads to page by page; of so many pages at most. */
async function walk(own: TestProject, id: string, query: string, limit: number, pages = Number.POSITIVE_INFINITY): Promise<Delivery[]> {
  const seen: Delivery[] = [];
  for (let [cursor, read] = ['', 0]; read < pages; read++) {
    const { deliveries, nextCursor } = await list(own, id, `${query}&limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    seen.push(...deliveries);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return seen;
}

const numbersOf = (deliveries: readonly Delivery[]) => deliveries.map(({ payload }) => payload.data.n);

/**
 * 11,000 numbered events, 300 in each instant, half of one type and half of another, with a few of two others among the oldest; every third
 * delivery has failed, and of the oldest every tenth is pending. The other endpoint has all of one type, and of the others the oldest.
 */
async function fillDeliveries(own: TestProject, id: string, other: string): Promise<void> {
  await rows(
    await database(),
    sql`
      with happened as (
        insert into webhook_events (project_id, type, data, created_at)
        select ${own.id}::uuid, case when n in (500, 600, 700) then 'email.complained' when n between 401 and 403 then 'email.opened'
                                     when n % 2 = 0 then 'email.clicked' else 'email.sent' end,
               jsonb_build_object('n', n), now() - interval '1 hour' + (n / 300) * interval '1 second'
        from generate_series(1, 11000) n returning id, type, created_at, (data ->> 'n')::integer as n
      ), given as (
        select ${id}::uuid as endpoint_id, h.id, h.n, h.created_at, n <= 1000 and n % 10 = 1 as is_pending from happened h
        union all
        select ${other}::uuid, h.id, h.n, h.created_at, false from happened h where h.type = 'email.sent' or n < 300 or n between 900 and 1199
      )
      insert into webhook_deliveries (project_id, endpoint_id, event_id, status, in_lane, created_at)
      select ${own.id}::uuid, endpoint_id, id,
             case when is_pending then 'pending' when n % 3 = 0 or endpoint_id = ${other}::uuid then 'failed' else 'delivered' end, is_pending, created_at
      from given order by n`,
  );
}

describe('the list of deliveries', () => {
  test('tells what was sent, how each attempt ended, and when', async () => {
    const { own, id, subscribe } = await listening('/told');
    receiver.answer('/told', 500);
    await subscribe('told');
    const [delivery] = await deliveriesSettle(own, id, 1);
    const [first, second] = receiver.calls('/told');
    expect(delivery).toEqual({
      id: first!.headers['webhook-id'],
      event_type: 'contact.subscribed',
      payload: JSON.parse(first!.body),
      status: 'delivered',
      attempts: 2,
      response_status: 200,
      next_attempt_at: delivery.attempt_log[1].at,
      created_at: delivery.payload.timestamp,
      attempt_log: [
        { series: 1, number: 1, at: expect.any(String), status: 500, error: null, milliseconds: expect.any(Number) },
        { series: 1, number: 2, at: expect.any(String), status: 200, error: null, milliseconds: expect.any(Number) },
      ],
      workflow_id: deliveryWorkflowId(delivery.id),
    });
    expect(JSON.stringify(delivery.payload)).toBe(first!.body);
    expect([second!.body, second!.headers['webhook-id']]).toEqual([first!.body, first!.headers['webhook-id']]);
  });

  test('is paged newest first, by status too, and each cursor is of its own list', async () => {
    const { own, id, subscribe } = await listening('/paged');
    receiver.answer('/paged', ...Array(12).fill(500));
    await subscribe('bad-1', 'bad-2');
    await deliveriesSettle(own, id, 2, { timeoutMs: 60_000 });
    await subscribe('good-1', 'good-2', 'good-3');
    const all = await deliveriesSettle(own, id, 5);
    expect(all.map(({ payload }) => payload.data.email.replace(/-[^-]+@.*/, ''))).toEqual(['good-3', 'good-2', 'good-1', 'bad-2', 'bad-1']);
    for (const [status, expected] of [
      ['', all],
      ['delivered', all.slice(0, 3)],
      ['failed', all.slice(3)],
      ['pending', []],
    ] as const) {
      const filter = status && `&status=${status}`;
      const seen: Delivery[] = [];
      for (let cursor = ''; ; ) {
        const { deliveries, nextCursor } = await list(own, id, `limit=2${filter}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        seen.push(...deliveries);
        if (nextCursor === null) break;
        expect(deliveries).toHaveLength(2);
        cursor = nextCursor;
      }
      expect(seen).toEqual(expected);
    }
    const { nextCursor } = await list(own, id, 'limit=1');
    const other = await createEndpoint(own, receiver.url);
    for (const path of [`${id}/deliveries?status=failed&`, `${other.id}/deliveries?`]) {
      const answer = await own.api.get(`/webhooks/${path}cursor=${encodeURIComponent(nextCursor)}`);
      expect([answer.status, answer.body.code]).toEqual([422, 'invalid_cursor']);
    }
    for (const query of ['status=done', 'limit=0', 'limit=251', 'limit=x'])
      expect((await own.api.get(`/webhooks/${id}/deliveries?${query}`)).status).toBe(422);
  });

  test('is filtered by what happened, when, and by the whole id that a receiver has seen, each with the others and page by page', async () => {
    const own = await newProject();
    const { id } = await createEndpoint(own, `${receiver.url}/filtered`, { events: ['contact.subscribed', 'contact.unsubscribed'] });
    for (const name of ['one', 'two', 'three'])
      must(await own.api.post(`/contacts/${await newContact(own, own.address(name))}/unsubscribe`), 200);
    const all = await deliveriesSettle(own, id, 6);
    const { deliveries, nextCursor } = await list(own, id, 'eventType=contact.unsubscribed&limit=2');
    const rest = await list(own, id, `eventType=contact.unsubscribed&limit=2&cursor=${encodeURIComponent(nextCursor)}`);
    expect([...deliveries, ...rest.deliveries]).toEqual(all.filter(({ event_type }) => event_type === 'contact.unsubscribed'));
    expect([rest.deliveries.length, rest.nextCursor]).toEqual([1, null]);
    const at = all[2].created_at;
    const [from, to] = [await list(own, id, `from=${at}`), await list(own, id, `to=${at}`)];
    expect([...from.deliveries, ...to.deliveries]).toEqual(all);
    expect(from.deliveries).toEqual(all.filter(({ created_at }) => created_at >= at));
    for (const q of [all[4].id, all[4].payload.id]) expect((await list(own, id, `q=${q}&status=delivered`)).deliveries).toEqual([all[4]]);
    for (const none of ['eventType=email.sent', 'q=none', `q=${all[4].id}&status=failed`, `q=${all[4].id}&to=2020-01-01T00:00:00Z`])
      expect(await list(own, id, none)).toMatchObject({ deliveries: [], nextCursor: null });
  });

  test('is whole and in order by every filter page by page, where many are made in one instant and what is rare lies behind thousands', async () => {
    const own = await newProject();
    const [id, other] = [(await createEndpoint(own, receiver.url)).id, (await createEndpoint(own, receiver.url)).id];
    for (const each of [id, other]) must(await own.api.call('PATCH', `/webhooks/${each}`, { enabled: false }), 200);
    await fillDeliveries(own, id, other);
    const newest = await walk(own, id, '', 250, 6);
    expect(numbersOf(newest)).toEqual(Array.from({ length: 1_500 }, (_, index) => 11_000 - index));
    const [from, to] = [newest[900].created_at, newest[100].created_at];
    const within = newest.filter(({ created_at }) => created_at >= from && created_at < to);
    for (const [query, expected] of [
      ['', within],
      ['status=failed', within.filter(({ status }) => status === 'failed')],
      ['eventType=email.sent', within.filter(({ event_type }) => event_type === 'email.sent')],
      [
        'eventType=email.clicked&status=delivered',
        within.filter((one) => one.event_type === 'email.clicked' && one.status === 'delivered'),
      ],
    ] as const) {
      expect(expected.length).toBeGreaterThan(200);
      expect(idsOf(await walk(own, id, `from=${from}&to=${to}&${query}`, 70))).toEqual(idsOf(expected));
    }
    const pending = Array.from({ length: 100 }, (_, index) => 991 - 10 * index);
    expect(numbersOf(await walk(own, id, 'status=pending', 30, 1))).toEqual(pending.slice(0, 30));
    expect(numbersOf(await walk(own, id, 'status=pending', 30))).toEqual(pending);
    expect(numbersOf(await walk(own, id, 'status=pending&eventType=email.sent', 30))).toEqual(pending.filter((n) => n !== 401));
    expect(await walk(own, id, 'status=pending&eventType=email.clicked', 30)).toEqual([]);
    // Of a type that is rare, however far back, a page has all there are.
    const rare = await list(own, id, 'eventType=email.complained&limit=2');
    const rest = await list(own, id, `eventType=email.complained&limit=2&cursor=${encodeURIComponent(rare.nextCursor)}`);
    expect([numbersOf(rare.deliveries), numbersOf(rest.deliveries), rest.nextCursor]).toEqual([[700, 600], [500], null]);
    expect(await list(own, id, 'eventType=campaign.completed')).toMatchObject({ deliveries: [], nextCursor: null });
    // What each mail has, or what others have very many of, may lie behind pages that are short: nothing is left out or shown twice.
    const evensDown = (from: number, to: number) => Array.from({ length: (from - to) / 2 + 1 }, (_, index) => from - 2 * index);
    const clicked = [...evensDown(1198, 900), ...evensDown(298, 2)];
    for (const [endpoint, query, limit, atFirst, expected] of [
      [id, 'eventType=email.opened', 2, 0, [403, 402, 401]],
      [other, 'eventType=email.clicked&status=failed', 200, 150, clicked],
    ] as const) {
      const first = await list(own, endpoint, `${query}&limit=${limit}`);
      expect([first.deliveries.length, typeof first.nextCursor]).toEqual([atFirst, 'string']);
      expect(numbersOf(await walk(own, endpoint, query, limit))).toEqual(expected);
    }
    for (const each of [id, other]) must(await own.api.delete(`/webhooks/${each}`), 200);
  });

  test('shows those that are pending, with their workflow and in a burst', async () => {
    const { own, id, subscribe, patch } = await listening('/both');
    receiver.answer('/both', 500);
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/both', gate.promise);
    await subscribe('one', 'two');
    const before = idsOf((await list(own, id)).deliveries);
    await rows(await database(), sql`update webhook_deliveries set in_lane = true where id = ${before[0]}`);
    expect(idsOf((await list(own, id, 'status=pending')).deliveries)).toEqual(before);
    expect(idsOf((await list(own, id, 'status=pending&limit=1')).deliveries)).toEqual(before.slice(0, 1));
    await patch({ enabled: false });
    await rows(await database(), sql`update webhook_deliveries set in_lane = false where id = ${before[0]}`);
    gate.resolve();
    await patch({ enabled: true });
    await deliveriesSettle(own, id, 2);
  });
});

describe('a retry by hand', () => {
  test('begins a settled delivery again: same id and body, a fresh set of attempts, and the log of all', async () => {
    const { own, id, subscribe, retry } = await listening('/again');
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
    const { own, id, subscribe, retry } = await listening('/in-flight');
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
    const { own, id, subscribe, retry } = await listening('/two');
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
    const { own, id, subscribe, retry } = await listening('/whose');
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
    const { own, id, subscribe, retry } = await listening('/long');
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
    const of = await listening(path);
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
    const answers = await Promise.all(Array.from({ length: 5 }, () => attempt()));
    expect(answers.map(({ outcome }) => outcome)).toContain('due');
    const [delivered] = await deliveriesSettle(own, id, 1);
    expect(delivered).toMatchObject({ id: deliveries[0].id, status: 'delivered', attempts: 2 });
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

describe('while an endpoint is disabled', () => {
  test('nothing is written for it, what is pending holds, and goes on to the changed URL when it is enabled', async () => {
    const { own, id, subscribe, patch } = await listening('/off');
    // So that it waits while the endpoint is disabled.
    receiver.answer('/off', { status: 503, headers: { 'retry-after': '5' } }, 500, 500, 500, 500, 500);
    await subscribe('before');
    await eventually(() => receiver.calls('/off').length > 0);
    await patch({ enabled: false });
    await subscribe('meanwhile');
    const client = await temporalClient();
    const [{ id: deliveryId }] = (await deliveriesOf(own, id)) as [Delivery];
    await eventually(async () => {
      const { searchAttributes } = await client.workflow.getHandle(deliveryWorkflowId(deliveryId)).describe();
      return searchAttributes.EverpostState?.[0] === 'held';
    });
    await patch({ url: `${receiver.url}/elsewhere` });
    await patch({ enabled: true });
    const deliveries = await deliveriesSettle(own, id, 1);
    expect(deliveries).toMatchObject([{ id: deliveryId, status: 'delivered' }]);
    expect(receiver.calls('/elsewhere').map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId]);
  });

  test('an attempt that meets it while it is being enabled is not held', async () => {
    const { own, id, patch } = await listening('/meets');
    const email = own.address();
    await newContact(own, email, { status: 'pending' });
    const [emitted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const emitting = (await database()).transactional(async (tx) => {
      await emit(tx, own.id, { type: 'contact.subscribed', contact: { email } as never });
      emitted.resolve();
      await mayCommit.promise;
    });
    await emitted.promise;
    await patch({ enabled: false });
    await (await database()).transactional(async (tx) => {
      // What is signalled by this does not have the delivery, which is not visible yet.
      await changeEndpoint(tx, own.id, id, { enabled: true });
      mayCommit.resolve();
      await emitting;
      await untilBlocked(tx);
    });
    expect(await deliveriesSettle(own, id, 1)).toMatchObject([{ status: 'delivered' }]);
  });

  test('and enabled again and again while events come, none that was written is lost', async () => {
    const { own, id, subscribe, patch } = await listening('/flicker');
    let isOver = false;
    const flicker = async () => {
      for (let enabled = false; !isOver; enabled = !enabled) await patch({ enabled });
      await patch({ enabled: true });
    };
    const flickering = flicker();
    for (let index = 0; index < 40; index++) await subscribe(`flicker-${index}`);
    isOver = true;
    await flickering;
    const deliveries = await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 });
    const arrived = new Set(receiver.calls('/flicker').map(({ headers }) => headers['webhook-id']));
    expect(deliveries.every(({ status }) => status === 'delivered')).toBe(true);
    expect([...arrived].sort()).toEqual(idsOf(deliveries).sort());
  });
});

describe('a burst', () => {
  /** 600 events for an endpoint that hangs: a burst has begun some, and the endpoint is disabled. */
  async function heldBurst(path: string) {
    const of = await listening(path);
    const gate = Promise.withResolvers<void>();
    receiver.holdUp(path, gate.promise);
    await of.subscribe(...Array.from({ length: 600 }, (_, index) => `burst-${index}`));
    await eventually(() => receiver.calls(path).length > 0);
    const burst = (await temporalClient()).workflow.getHandle(burstWorkflowId(of.id));
    await eventually(async () => (await burst.describe()).status.name === 'RUNNING');
    await of.patch({ enabled: false });
    gate.resolve();
    const inState = (state: string) => eventually(async () => (await burst.describe()).searchAttributes.EverpostState?.[0] === state);
    return { ...of, burst, inState };
  }
  const countLeft = async (id: string) =>
    (
      await row(
        await database(),
        sql<{ count: number }>`select count(*) as count from webhook_deliveries where endpoint_id = ${id} and in_lane`,
      )
    )?.count;

  test('holds while the endpoint is disabled, and goes on when it is enabled', async () => {
    const { id, patch, inState } = await heldBurst('/burst-held');
    await inState('held');
    expect(await countLeft(id)).toBeGreaterThan(0);
    await patch({ enabled: true });
    const em = await database();
    await eventually(async () => (await em.fork().count(WebhookDelivery, { endpoint_id: id, status: 'delivered' })) === 600, {
      timeoutMs: 60_000,
    });
  });

  test('ends with its endpoint, and what waits in it is dropped', async () => {
    const { own, id, burst, inState } = await heldBurst('/burst-gone');
    await inState('held');
    must(await own.api.delete(`/webhooks/${id}`), 200);
    await eventually(async () => (await burst.describe()).status.name === 'COMPLETED');
    expect(await countLeft(id)).toBe(0);
  });
});

describe('deleting an endpoint', () => {
  test('drops what is pending, also what is under way, and ends its workflows', async () => {
    const { own, id, subscribe } = await listening('/gone');
    receiver.answer('/gone', ...Array(20).fill(500));
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/gone', gate.promise);
    await subscribe('one', 'two', 'three');
    await eventually(() => receiver.calls('/gone').length > 0);
    const ids = idsOf(await deliveriesOf(own, id));
    must(await own.api.delete(`/webhooks/${id}`), 200);
    gate.resolve();
    const client = await temporalClient();
    for (const deliveryId of ids) {
      const workflow = client.workflow.getHandle(deliveryWorkflowId(deliveryId));
      await eventually(async () => (await workflow.describe()).status.name === 'COMPLETED');
      expect(await workflow.result()).toBe('Dropped: its endpoint was deleted');
    }
    const left = await rows(await database(), sql`select 1 from webhook_deliveries where endpoint_id = ${id}`);
    expect(left).toEqual([]);
    const calls = receiver.calls('/gone').length;
    await subscribe('after');
    expect(receiver.calls('/gone')).toHaveLength(calls);
  });

  test('waits for what is being written for it, and drops that, too', async () => {
    const { own, id } = await listening('/late');
    const { deleting } = await (await database()).transactional(async (tx) => {
      await emit(tx, own.id, { type: 'contact.subscribed', contact: { email: own.address() } as never });
      const started = own.api.delete(`/webhooks/${id}`);
      await untilBlocked(tx);
      return { deleting: started };
    });
    must(await deleting, 200);
    expect(await rows(await database(), sql`select 1 from webhook_deliveries where endpoint_id = ${id}`)).toEqual([]);
  });
});
