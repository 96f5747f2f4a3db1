import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { changeCampaign, insertCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { rows } from '../../db/rows.ts';
import type { CampaignBatchOrder } from '../../sending/campaign-batch.ts';
import { createCampaignSenders } from '../../sending/campaign-senders.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import type { Sending } from '../../sending/sending.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { bareProject, ownDatabase } from '../support/own-database.ts';
import { shippedTemplates } from '../support/sending.ts';

type Send = Sending['sendCampaignBatch'];
const takeAll: Send = async ({ requests }) => requests.map(() => ({ state: 'sent' }));

/** Batches that are asked for, each of which is taken when its end is called. */
function heldSending() {
  const orders: CampaignBatchOrder[] = [];
  const ends: (() => void)[] = [];
  const send: Send = async (order) => {
    await order.admitted();
    return new Promise((resolve) => {
      orders.push(order);
      ends.push(() => resolve(order.requests.map(() => ({ state: 'sent' }))));
    });
  };
  return { orders, ends, send };
}

interface Wanted {
  readonly ratePerSecond: number | null;
  readonly send?: Send;
  readonly pauseBeyondLimits?: (ids: readonly string[]) => Promise<void>;
}

/** A campaign that is being sent; whoever is asked takes its batches, unless told. */
async function sendingCampaign({ ratePerSecond, send = takeAll, pauseBeyondLimits = async () => undefined }: Wanted) {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId } = await bareProject(em);
  const id = uuidv7();
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 'newsletter', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond, now: new Date() },
  });
  await changeCampaign(em, id, { status: 'sending' });
  const senders = createCampaignSenders({
    em: orm.em.fork(),
    sending: { sendCampaignBatch: send },
    registry: await shippedTemplates(),
    inFlight: createInFlight({ connections: 2, pace: NO_PACE }),
    places: 2,
    newId: uuidv7,
    pauseBeyondLimits,
  });
  const run = () => senders.run(id, { milliseconds: 60_000, signal: new AbortController().signal, progress: () => undefined });
  return { em, id, run };
}

/** Whatever could begin at once has begun. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

test('a sender that has sent the last batch of a campaign under a rate ends without waiting for the next turn', async () => {
  const { em, id, run } = await sendingCampaign({ ratePerSecond: 1 });
  // After these the next turn is in an hour.
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids)
        select ${id}::uuid, 0, array_agg(gen_random_uuid()) from generate_series(1, 3600)`,
  );
  expect(await run()).toEqual({ sent: 3600, failed: 0, skipped: 0, away: null });
});

test('a sender that ends after its campaign was paused and resumed keeps no later pause from those that began since', async () => {
  const { orders, ends, send } = heldSending();
  const { em, id, run } = await sendingCampaign({ ratePerSecond: null, send });
  const pause = (paused: boolean) => changeCampaign(em, id, { paused });
  /** A sender that has a batch in flight. */
  const sender = async (no: number) => {
    await rows(em, sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}::uuid, ${no}, array[gen_random_uuid()])`);
    const ended = run();
    await eventually(() => orders.length > no);
    const { isStopped } = orders[no] as CampaignBatchOrder;
    return { ended, isStopped, end: ends[no] as () => void };
  };
  const first = await sender(0);
  await pause(true);
  await eventually(first.isStopped);
  await pause(false);
  const second = await sender(1);
  expect(second.isStopped()).toBe(false);
  first.end();
  await first.ended;
  await pause(true);
  await eventually(second.isStopped);
  second.end();
  await second.ended;
});

test('while a campaign is sent it is looked at again and again whether it is beyond a limit, and no longer', async () => {
  const { orders, ends, send } = heldSending();
  const looked: (readonly string[])[] = [];
  const { em, id, run } = await sendingCampaign({
    ...{ ratePerSecond: null, send },
    async pauseBeyondLimits(ids) {
      looked.push(ids);
      if (looked.length === 2) await changeCampaign(em, id, { paused: true });
    },
  });
  await rows(em, sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}::uuid, 0, array[gen_random_uuid()])`);
  const ended = run();
  await eventually(() => orders.length === 1);
  await eventually(() => (orders[0] as CampaignBatchOrder).isStopped());
  expect(looked).toEqual([[id], [id]]);
  ends[0]?.();
  await ended;
  expect(looked.length).toBe(2);
});

test('a batch makes room for the next when all of it is answered, and a sender has no more than six whose outcomes are not recorded', async () => {
  const { orders, ends, send } = heldSending();
  const { em, id, run } = await sendingCampaign({ ratePerSecond: null, send });
  // Each of them fills the room that two connections have.
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids)
        select ${id}::uuid, no, array[gen_random_uuid(), gen_random_uuid()] from generate_series(1, 8) no`,
  );
  const ended = run();
  for (const begun of [1, 2, 3, 4, 5, 6]) {
    await eventually(() => orders.length === begun);
    orders.at(-1)?.answered(2);
  }
  await turns();
  expect(orders).toHaveLength(6);
  for (const begun of [7, 8]) {
    ends.shift()?.();
    await eventually(() => orders.length === begun);
    orders.at(-1)?.answered(2);
  }
  for (const end of ends) end();
  expect(await ended).toMatchObject({ sent: 16 });
});

test('a sender ends when it asks nothing of the database any more', async () => {
  const { em, run } = await sendingCampaign({ ratePerSecond: null });
  let isWaitedFor = true;
  const { ended } = await em.transactional(async (tx) => {
    // Whether the campaign has stopped is asked of the projects as well; batches are claimed without them.
    await rows(tx, sql`lock table projects in access exclusive mode`);
    const ended = run().then(() => isWaitedFor);
    await untilBlocked(tx);
    isWaitedFor = false;
    return { ended };
  });
  expect(await ended).toBe(false);
});

test('the mails of two batches are made while another one is submitted, and no more', async () => {
  const made: CampaignBatchOrder[] = [];
  const submitted: CampaignBatchOrder[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { em, id, run } = await sendingCampaign({
    ratePerSecond: null,
    async send(order) {
      made.push(order);
      await order.admitted();
      submitted.push(order);
      await isOver;
      return order.requests.map(() => ({ state: 'sent' }));
    },
  });
  // Each of them fills the room that two connections have.
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids)
        select ${id}::uuid, no, array[gen_random_uuid(), gen_random_uuid()] from generate_series(1, 6) no`,
  );
  const ended = run();
  await eventually(() => made.length === 3);
  await turns();
  expect([made.length, submitted.length]).toEqual([3, 1]);
  submitted[0]?.answered(2);
  await eventually(() => made.length === 4);
  await turns();
  expect([made.length, submitted.length]).toEqual([4, 2]);
  end();
  for (const order of submitted) order.answered(2);
  await eventually(() => {
    for (const order of submitted) order.answered(2);
    return submitted.length === 6;
  });
  expect(await ended).toMatchObject({ sent: 12 });
});
