import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookDelivery } from '../../../db/entities/index.ts';
import { emit } from '../../../db/queries/webhooks/emit.ts';
import { row, rows } from '../../../db/rows.ts';
import { changeEndpoint } from '../../../usecases/webhooks/change-endpoint.ts';
import { burstWorkflowId, deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { type Delivery, deliveriesOf, deliveriesSettle } from '../../support/webhook-endpoints.ts';
import { idsOf, listening } from './listening.ts';

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

describe('while an endpoint is disabled', () => {
  test('nothing is written for it, what is pending holds, and goes on to the changed URL when it is enabled', async () => {
    const { own, id, subscribe, patch } = await listening(receiver, '/off');
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
    const { own, id, patch } = await listening(receiver, '/meets');
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
    const { own, id, subscribe, patch } = await listening(receiver, '/flicker');
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
    const of = await listening(receiver, path);
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
    const { own, id, subscribe } = await listening(receiver, '/gone');
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
    const { own, id } = await listening(receiver, '/late');
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
