import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';
import { createEndpoint, type Delivery, deliveriesSettle } from '../../support/webhook-endpoints.ts';
import { idsOf, listening } from './listening.ts';

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const list = async (own: TestProject, id: string, query = '') => must(await own.api.get(`/webhooks/${id}/deliveries?${query}`), 200);

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
    const { own, id, subscribe } = await listening(receiver, '/told');
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
    const { own, id, subscribe } = await listening(receiver, '/paged');
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
    const { own, id, subscribe, patch } = await listening(receiver, '/both');
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
