import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { WebhookDelivery } from '../../db/entities/index.ts';
import { emit } from '../../db/queries/emit.ts';
import { changeEndpoint } from '../../db/queries/webhook-endpoints.ts';
import { row, rows } from '../../db/rows.ts';
import { MOST_LOGGED } from '../../domain/webhook/delivery.ts';
import { burstWorkflowId, deliveryWorkflowId } from '../../workflows/contracts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must, newContact } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { createEndpoint, type Delivery, deliveriesOf, deliveriesSettle } from '../support/webhook-endpoints.ts';

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

  test('shows those that are pending, with their workflow and in the lane of a burst', async () => {
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

describe('while an endpoint is disabled', () => {
  test('nothing is written for it, what is pending holds, and goes on to the changed URL when it is enabled', async () => {
    const { own, id, subscribe, patch } = await listening('/off');
    receiver.answer('/off', 500, 500, 500, 500, 500, 500);
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
      // What is woken by this does not have the delivery, which is not visible yet.
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
  }, 90_000);
});

describe('a lane that makes the first attempts of a burst', () => {
  /** 600 events for an endpoint that hangs: a lane has begun some, and the endpoint is disabled. */
  async function burst(path: string) {
    const of = await listening(path);
    const gate = Promise.withResolvers<void>();
    receiver.holdUp(path, gate.promise);
    await of.subscribe(...Array.from({ length: 600 }, (_, index) => `burst-${index}`));
    await eventually(() => receiver.calls(path).length > 0);
    const lane = (await temporalClient()).workflow.getHandle(burstWorkflowId(of.id));
    await eventually(async () => (await lane.describe()).status.name === 'RUNNING');
    await of.patch({ enabled: false });
    gate.resolve();
    const inState = (state: string) => eventually(async () => (await lane.describe()).searchAttributes.EverpostState?.[0] === state);
    return { ...of, lane, inState };
  }
  const countLeft = async (id: string) =>
    (
      await row(
        await database(),
        sql<{ count: number }>`select count(*) as count from webhook_deliveries where endpoint_id = ${id} and in_lane`,
      )
    )?.count;

  test('holds while the endpoint is disabled, and goes on when it is enabled', async () => {
    const { id, patch, inState } = await burst('/burst-held');
    await inState('held');
    expect(await countLeft(id)).toBeGreaterThan(0);
    await patch({ enabled: true });
    const em = await database();
    await eventually(async () => (await em.fork().count(WebhookDelivery, { endpoint_id: id, status: 'delivered' })) === 600, {
      timeoutMs: 60_000,
    });
  }, 120_000);

  test('ends with its endpoint, and what waits in it is dropped', async () => {
    const { own, id, lane, inState } = await burst('/burst-gone');
    await inState('held');
    must(await own.api.delete(`/webhooks/${id}`), 200);
    await eventually(async () => (await lane.describe()).status.name === 'COMPLETED');
    expect(await countLeft(id)).toBe(0);
  }, 60_000);
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
