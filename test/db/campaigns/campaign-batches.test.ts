import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { campaignsWithLeftBatches, endBatch, lockLeftBatches } from '../../../db/queries/campaigns/batch-ends.ts';
import {
  batchesLeft,
  claimBatches,
  claimPacedBatch,
  giveBack,
  type HeldBatch,
  isInFlight,
  retryBatchesNow,
} from '../../../db/queries/campaigns/campaign-batches.ts';
import { closeRecipients, openBatch } from '../../../db/queries/campaigns/campaign-mails.ts';
import { batchOfOpenCampaigns, insertCampaign, sumCampaignCounts, unbalancedCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { neededJournals, type SendIntent } from '../../../db/queries/sends/send-intents.ts';
import { row, rows } from '../../../db/rows.ts';
import { OUTCOME_UNKNOWN } from '../../../domain/sends/outcome-unknown.ts';
import type { SendOutcome } from '../../../domain/sends/send.ts';
import { OUTAGE_PATIENCE_MS, OUTCOME_UNKNOWN_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import { cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { unblockedBy, untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

/** Of half a million people. */
const BATCHES = 10_000;

let orm: MikroORM;
let projectId: string;

beforeAll(async () => {
  orm = await ownDatabase();
  projectId = (await bareProject(orm.em.fork())).id;
  await rows(orm.em.fork(), sql`alter table campaign_pages set (autovacuum_enabled = off)`);
});

/** A campaign of so many batches that have gone, so many that wait for their turn, and three that are open. */
async function campaignOf(gone: number, pending: number): Promise<string> {
  const em = orm.em.fork();
  const id = uuidv7();
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 't', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: null, now: new Date() },
  });
  const add = (from: number, upTo: number) => sql`
    insert into campaign_pages (campaign_id, no, contact_ids)
    select ${id}::uuid, no, array[gen_random_uuid()] from generate_series(${from}::integer, ${upTo}::integer) no`;
  await rows(em, add(1, gone));
  await rows(em, sql`update campaign_pages set state = 'open', opened_at = now(), available_at = 'infinity' where campaign_id = ${id}`);
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
  await rows(em, add(gone + 1, gone + pending + 3));
  await rows(
    em,
    sql`update campaign_pages set state = 'open', opened_at = now(), available_at = 'infinity' where campaign_id = ${id} and no > ${gone + pending}`,
  );
  await rows(em, sql`analyze campaign_pages`);
  return id;
}

/** Rows of campaign_pages that PostgreSQL read for it. */
async function rowsRead(work: (tx: EntityManager) => Promise<unknown>): Promise<number> {
  const read = sql<{ count: number }>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0)) as count from pg_stat_user_tables where relname = 'campaign_pages'`;
  const flushed = (tx: EntityManager) => rows(tx, sql`select pg_stat_force_next_flush()`);
  await orm.em.fork().transactional(flushed);
  const before = (await row(orm.em.fork(), read))?.count ?? 0;
  await orm.em.fork().transactional(async (tx) => {
    await work(tx);
    await flushed(tx);
  });
  return ((await row(orm.em.fork(), read))?.count ?? 0) - before;
}

test('looking for what a campaign has in flight, what has an unknown outcome and what is left reads no batch that waits or has gone', async () => {
  const id = await campaignOf(BATCHES, BATCHES);
  expect(await rowsRead((tx) => isInFlight(tx, id))).toBeLessThanOrEqual(3);
  expect(await rowsRead((tx) => lockLeftBatches(tx, id, OUTCOME_UNKNOWN_AFTER_MS))).toBeLessThanOrEqual(3);
  expect(await rowsRead((tx) => campaignsWithLeftBatches(tx, OUTCOME_UNKNOWN_AFTER_MS))).toBeLessThanOrEqual(3);
  expect(await rowsRead((tx) => batchesLeft(tx, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS }))).toBeLessThanOrEqual(
    3 + 4 + 1,
  );
  expect(await rowsRead((tx) => batchOfOpenCampaigns(tx, null, 1_000))).toBeLessThanOrEqual(3);
});

const OPENING = { deduplicates: false, journal: null };

/** The intent of the one mail of a batch. */
function intentOf(batch: HeldBatch): SendIntent {
  return {
    ...{
      id: uuidv7(),
      projectId,
      contactId: batch.contact_ids[0] ?? null,
      brandId: 'b',
      toEmail: 'a@to.example',
      template: 't',
      type: 'marketing',
    },
    ...{ subject: 's', sourceType: 'campaign', sourceId: batch.campaign_id, identity: { by: 'nothing' }, journal: null },
  };
}

async function sendingCampaign(): Promise<string> {
  const id = await campaignOf(0, 1);
  await rows(orm.em.fork(), sql`delete from campaign_pages where campaign_id = ${id} and state = 'open'`);
  await rows(orm.em.fork(), sql`update campaigns set status = 'sending' where id = ${id}`);
  return id;
}

test('a batch whose lease ran out is not given back by its first holder while the second has it open', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [first] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  await rows(em, sql`update campaign_pages set available_at = now() - interval '1 minute' where campaign_id = ${id}`);
  const [second] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
  await giveBack(em, first);
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'lost' });
  expect(await rows(em, sql`select state, token from campaign_pages where campaign_id = ${id}`)).toEqual([
    { state: 'open', token: second.token },
  ]);
});

test('a batch whose lease ran out is not opened by its first holder once the second has taken it', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [first] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  await rows(em, sql`update campaign_pages set available_at = now() - interval '1 minute' where campaign_id = ${id}`);
  const [second] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'lost' });
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
});

test('who takes batches while another takes some has none of those, so none that is opened meanwhile', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const { first, second } = await orm.em.fork().transactional(async (tx) => {
    const [first] = (await claimBatches(tx, id, 1, uuidv7())) as [HeldBatch];
    const second = await unblockedBy(tx, claimBatches(em, id, 1, uuidv7()));
    expect(await openBatch(tx, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'opened' });
    return { first, second };
  });
  expect(second).toEqual([]);
  expect(await rows(em, sql`select state, token from campaign_pages where campaign_id = ${id}`)).toEqual([
    { state: 'open', token: first.token },
  ]);
});

test('when the pauses of batches are ended, what a process holds or has in flight stays its own', async () => {
  const em = orm.em.fork();
  // Three more are open.
  const id = await campaignOf(0, 3);
  const [held] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  await rows(em, sql`update campaign_pages set available_at = now() + interval '1 h' where campaign_id = ${id} and state = 'pending'`);
  expect(await claimBatches(em, id, 10, uuidv7())).toEqual([]);
  await retryBatchesNow(em, id);
  const taken = await claimBatches(em, id, 10, uuidv7());
  expect(taken).toHaveLength(2);
  expect(taken.map(({ no }) => no)).not.toContain(held.no);
  expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`)).toHaveLength(3);
});

/** Makes the recipient of a batch a contact of this project, and gives its address. */
async function contactOf({ contact_ids: [id] }: HeldBatch, status = 'subscribed', project = projectId): Promise<string> {
  const email = `${id}@${project}.example`;
  await rows(
    orm.em.fork(),
    sql`insert into contacts (project_id, id, email, status, brand_id) select id, ${id}, ${email}, ${status}, slug from projects where id = ${project}`,
  );
  return email;
}

test('who has unsubscribed or bounced is passed over by a campaign of whatever type, and leaves no row', async () => {
  const em = orm.em.fork();
  for (const status of ['unsubscribed', 'bounced']) {
    const id = await sendingCampaign();
    const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
    const intent = { ...intentOf(batch), toEmail: await contactOf(batch, status), type: 'transactional' as const };
    expect(await openBatch(em, batch, [intent], OPENING)).toMatchObject({ state: 'opened', verdicts: [{ by: status }] });
    expect(await rows(em, sql`select 1 from sends where source_id = ${id}`)).toEqual([]);
    expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 0, failed: 0, skipped: 1 });
  }
});

test('a batch that was left names the recipients of its own project, whoever has their ids in another', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  const intent = { ...intentOf(batch), toEmail: await contactOf(batch) };
  await contactOf(batch, 'subscribed', (await bareProject(em)).id);
  expect(await openBatch(em, batch, [intent], OPENING)).toMatchObject({ state: 'opened', verdicts: [null] });
  const left = await em.transactional((tx) => lockLeftBatches(tx, id, 0));
  expect(left.map(({ mails }) => mails)).toEqual([[expect.objectContaining({ id: intent.id, toEmail: intent.toEmail })]]);
});

/** What an open batch leaves for later. */
function laterOf(batch: HeldBatch) {
  const { id, contactId, subject } = intentOf(batch);
  return { later: [{ id, contactId, subject }], pauseMs: 0, wasAway: false };
}

test('a batch that was taken over is not ended by the process that was frozen over it, with or without mails for later', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [first] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'opened' });
  await endBatch(em, first, laterOf(first));
  const [second] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
  for (const end of [laterOf(first), { ...laterOf(first), later: [] }]) await endBatch(em, first, end);
  expect(await rows(em, sql`select state, token from campaign_pages where campaign_id = ${id}`)).toEqual([
    { state: 'open', token: second.token },
  ]);
});

test('mails for later of a batch that ends while its campaign is being cancelled are cancelled with it, and none is left', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  await rows(em, sql`update campaigns set total_recipients = 1, resolved_at = now() where id = ${id}`);
  const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  await rows(
    em,
    sql`insert into contacts (project_id, id, email, status, brand_id)
        select id, ${batch.contact_ids[0]}, 'a@to.example', 'subscribed', slug from projects where id = ${projectId}`,
  );
  expect(await openBatch(em, batch, [intentOf(batch)], OPENING)).toMatchObject({ state: 'opened' });
  const { ending } = await orm.em.fork().transactional(async (tx) => {
    expect(await cancelCampaignRow(tx, id, null)).toMatchObject({ state: 'cancelled' });
    const ending = endBatch(orm.em.fork(), batch, laterOf(batch));
    await untilBlocked(tx);
    return { ending };
  });
  await ending;
  expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`)).toEqual([]);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 0, skipped: 0, cancelled: 1 });
});

test('the journal of the process that has a batch open is needed until the batch ends', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  const journal = uuidv7();
  await openBatch(em, batch, [intentOf(batch)], { ...OPENING, journal });
  expect(await neededJournals(em, [journal, uuidv7()])).toEqual([journal]);
  await endBatch(em, batch, { ...laterOf(batch), later: [] });
  expect(await neededJournals(em, [journal])).toEqual([]);
});

test('a batch that is opened while its campaign is being cancelled waits for that, and is not opened then', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  const { opened } = await orm.em.fork().transactional(async (tx) => {
    await rows(tx, sql`update campaigns set status = 'cancelled' where id = ${id}`);
    const opening = openBatch(orm.em.fork(), batch, [intentOf(batch)], OPENING);
    await untilBlocked(tx);
    return { opened: opening };
  });
  expect(await opened).toEqual({ state: 'stopped', reason: 'ended' });
  expect(await rows(em, sql`select state from campaign_pages where campaign_id = ${id}`)).toEqual([{ state: 'leased' }]);
});

test('what is left is told as it is: what can be taken, what is open, and when there is the next', async () => {
  const em = orm.em.fork();
  const id = await campaignOf(0, 2);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 2,
    open: 3,
    isInFlight: true,
    nextAt: new Date('2000-01-01'),
  });
  expect(await batchesLeft(em, id, { most: 1, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toMatchObject({ available: 1 });
  await rows(em, sql`update campaign_pages set available_at = now() + interval '1 h' where campaign_id = ${id} and state = 'pending'`);
  const opened = await row(em, sql<{ at: Date }>`select min(opened_at) as at from campaign_pages where campaign_id = ${id}`);
  const outcomeUnknownAt = new Date((opened as { at: Date }).at.getTime() + OUTCOME_UNKNOWN_AFTER_MS);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 0,
    open: 3,
    isInFlight: true,
    nextAt: outcomeUnknownAt,
  });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 0,
    open: 0,
    isInFlight: false,
    nextAt: null,
  });
});

test('no batch of a campaign under a rate is taken before its turn, and of two who take it at once one gets it', async () => {
  const em = orm.em.fork();
  const id = await campaignOf(0, 3);
  await rows(em, sql`update campaigns set rate_per_second = 1 where id = ${id}`);
  // Of sixty people, so that the next turn is a minute off, however long the second takes to ask.
  await rows(em, sql`update campaign_pages set contact_ids = array_fill(gen_random_uuid(), array[60]) where campaign_id = ${id}`);
  // Whoever is second waits for the campaign's row, which the first has.
  const waiters = await orm.em.fork().transactional(async (tx) => {
    const first = await claimPacedBatch(tx, id, uuidv7());
    expect(first).toMatchObject({ batch: { campaign_id: id }, hasMore: true });
    expect(first.pauseMs).toBeGreaterThan(30_000);
    expect(first.pauseMs).toBeLessThan(60_100);
    const second = claimPacedBatch(orm.em.fork(), id, uuidv7());
    await untilBlocked(tx);
    return { second };
  });
  expect(await waiters.second).toMatchObject({ batch: undefined, hasMore: true });
  await rows(em, sql`update campaigns set next_page_at = now() + interval '1 h' where id = ${id}`);
  const early = await claimPacedBatch(em, id, uuidv7());
  expect(early).toMatchObject({ batch: undefined, hasMore: true });
  expect(early.pauseMs).toBeGreaterThan(3_000_000);
  const takesNow = async () => {
    // The column keeps milliseconds, rounded: of this instant it would be ahead of the next statement half of the time.
    await rows(em, sql`update campaigns set next_page_at = now() - interval '1 ms' where id = ${id}`);
    return claimPacedBatch(em, id, uuidv7());
  };
  expect(await takesNow()).toMatchObject({ batch: { campaign_id: id }, hasMore: true });
});

test('who takes the last batch of a campaign under a rate learns that there are no others', async () => {
  const em = orm.em.fork();
  const id = await campaignOf(0, 1);
  await rows(em, sql`update campaigns set rate_per_second = 1 where id = ${id}`);
  // Three are open.
  expect(await claimPacedBatch(em, id, uuidv7())).toMatchObject({ batch: { campaign_id: id }, hasMore: false });
});

test('a truth that comes while its mail is being settled as of unknown outcome stands, and is counted once', async () => {
  const id = await campaignOf(0, 0);
  const em = orm.em.fork();
  const intent: SendIntent = {
    ...{ id: uuidv7(), projectId, contactId: null, brandId: 'b', toEmail: '', template: 't', type: 'marketing', subject: 's' },
    ...{ sourceType: 'campaign', sourceId: id, identity: { by: 'nothing' }, journal: null },
  };
  const close = (of: EntityManager, outcome: SendOutcome) =>
    closeRecipients(of, [{ intent, openedAt: new Date(), outcome, hasWebhooks: false }]);
  const { telling } = await em.transactional(async (tx) => {
    await close(tx, OUTCOME_UNKNOWN);
    const telling = close(orm.em.fork(), { status: 'sent', providerId: 'told' });
    await untilBlocked(tx);
    return { telling };
  });
  expect(await telling).toMatchObject([{ id: intent.id }]);
  expect(await row(em, sql`select status, provider_id, error from sends where id = ${intent.id}`)).toEqual({
    ...{ status: 'sent', provider_id: 'told', error: null },
  });
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 1, failed: 0 });
});

/** A campaign of so many recipients: a mail that waits to go again under its key was told by the process that was frozen over it; the others wait for their turn. */
async function toldMeanwhile(recipients: number): Promise<string> {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  await rows(em, sql`update campaigns set total_recipients = ${recipients}, resolved_at = now() where id = ${id}`);
  const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
  for (let no = 1; no < recipients; no++)
    await rows(
      em,
      sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}::uuid, ${100 + no}, array[gen_random_uuid()])`,
    );
  const intent = { ...intentOf(batch), toEmail: await contactOf(batch) };
  const opened = await openBatch(em, batch, [intent], OPENING);
  const openedAt = 'openedAt' in opened ? opened.openedAt : new Date(Number.NaN);
  await endBatch(em, batch, { ...laterOf(batch), later: [{ ...intent, maybeSubmittedAt: openedAt }] });
  await closeRecipients(em, [{ intent, openedAt, outcome: { status: 'sent', providerId: 'told' }, hasWebhooks: false }]);
  return id;
}

test.each([
  ['others are left', 2, { state: 'cancelled' }, { sent: 1, failed: 0, skipped: 0, cancelled: 1 }],
  ['nobody is left', 1, { state: 'sent' }, { sent: 1, failed: 0, skipped: 0, cancelled: 0 }],
] as const)(
  'a mail that waits to go again and was told by the process that was frozen over it counts once, and a cancel leaves no batch of it, where %s',
  async (_, recipients, cancelled, counts) => {
    const em = orm.em.fork();
    const id = await toldMeanwhile(recipients);
    expect((await unbalancedCampaigns(em, 1_000)).filter((found) => found.id === id)).toEqual([]);
    expect(await em.transactional((tx) => cancelCampaignRow(tx, id, null))).toMatchObject(cancelled);
    expect(await sumCampaignCounts(em, id)).toMatchObject(counts);
    expect((await unbalancedCampaigns(em, 1_000)).filter((found) => found.id === id)).toEqual([]);
    expect(await rows(em, sql`select status from sends where source_id = ${id}`)).toEqual([{ status: 'sent' }]);
    expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`)).toEqual([]);
  },
);

test('whom the provider has wanted later for three days is skipped, however often it was asked meanwhile', async () => {
  const em = orm.em.fork();
  const id = await sendingCampaign();
  let toEmail: string | undefined;
  const isPutOff = async (): Promise<Date | undefined> => {
    const [batch] = (await claimBatches(em, id, 1, uuidv7())) as [HeldBatch];
    toEmail ??= await contactOf(batch);
    const intent = { ...intentOf(batch), toEmail };
    expect(await openBatch(em, batch, [intent], OPENING)).toMatchObject({ state: 'opened', verdicts: [null] });
    await endBatch(em, batch, { later: [intent], pauseMs: 0, wasAway: true });
    return (await row(em, sql<{ at: Date }>`select first_later_at as at from campaign_pages where campaign_id = ${id}`))?.at;
  };
  const passes = (milliseconds: number) =>
    row(
      em,
      sql<{ at: Date }>`update campaign_pages set first_later_at = first_later_at - make_interval(secs => ${milliseconds / 1000})
        where campaign_id = ${id} returning first_later_at as at`,
    );
  expect(await isPutOff()).toEqual(expect.any(Date));
  const since = await passes(OUTAGE_PATIENCE_MS - 60_000);
  expect(await isPutOff()).toEqual(since?.at);
  await passes(60_000);
  expect(await isPutOff()).toBeUndefined();
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 0, failed: 0, skipped: 1 });
});
