import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
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
import { openBatch } from '../../../db/queries/campaigns/campaign-mails.ts';
import { batchOfOpenCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { row, rows } from '../../../db/rows.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import { unblockedBy, untilBlocked } from '../../support/blocked.ts';
import { claimOne, laterOf, OPENING, ownBatches } from './own-batches.ts';

const { fork, campaignOf, sendingCampaign, intentOf } = ownBatches();

/** Of half a million people. */
const BATCHES = 10_000;

/** Rows of campaign_pages that PostgreSQL read for it. */
async function rowsRead(work: (tx: EntityManager) => Promise<unknown>): Promise<number> {
  const read = sql<{ count: number }>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0)) as count from pg_stat_user_tables where relname = 'campaign_pages'`;
  const flushed = (tx: EntityManager) => rows(tx, sql`select pg_stat_force_next_flush()`);
  await fork().transactional(flushed);
  const before = (await row(fork(), read))?.count ?? 0;
  await fork().transactional(async (tx) => {
    await work(tx);
    await flushed(tx);
  });
  return ((await row(fork(), read))?.count ?? 0) - before;
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

test('a batch whose lease ran out is not given back by its first holder while the second has it open', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const first = await claimOne(em, id);
  await rows(em, sql`update campaign_pages set available_at = now() - interval '1 minute' where campaign_id = ${id}`);
  const second = await claimOne(em, id);
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
  await giveBack(em, first);
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'lost' });
  expect(await rows(em, sql`select state, token from campaign_pages where campaign_id = ${id}`)).toEqual([
    { state: 'open', token: second.token },
  ]);
});

test('a batch whose lease ran out is not opened by its first holder once the second has taken it', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const first = await claimOne(em, id);
  await rows(em, sql`update campaign_pages set available_at = now() - interval '1 minute' where campaign_id = ${id}`);
  const second = await claimOne(em, id);
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'lost' });
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
});

test('who takes batches while another takes some has none of those, so none that is opened meanwhile', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const { first, second } = await fork().transactional(async (tx) => {
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
  const em = fork();
  // Three more are open.
  const id = await campaignOf(0, 3);
  const held = await claimOne(em, id);
  await rows(em, sql`update campaign_pages set available_at = now() + interval '1 h' where campaign_id = ${id} and state = 'pending'`);
  expect(await claimBatches(em, id, 10, uuidv7())).toEqual([]);
  await retryBatchesNow(em, id);
  const taken = await claimBatches(em, id, 10, uuidv7());
  expect(taken).toHaveLength(2);
  expect(taken.map(({ no }) => no)).not.toContain(held.no);
  expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`)).toHaveLength(3);
});

test('a batch that was taken over is not ended by the process that was frozen over it, with or without mails for later', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const first = await claimOne(em, id);
  expect(await openBatch(em, first, [intentOf(first)], OPENING)).toMatchObject({ state: 'opened' });
  await endBatch(em, first, laterOf(intentOf(first)));
  const second = await claimOne(em, id);
  expect(await openBatch(em, second, [intentOf(second)], OPENING)).toMatchObject({ state: 'opened' });
  for (const end of [laterOf(intentOf(first)), { ...laterOf(intentOf(first)), later: [] }]) await endBatch(em, first, end);
  expect(await rows(em, sql`select state, token from campaign_pages where campaign_id = ${id}`)).toEqual([
    { state: 'open', token: second.token },
  ]);
});

test('what is left is told as it is: what can be taken, what is open, and when there is the next', async () => {
  const em = fork();
  const id = await campaignOf(0, 2);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 2,
    open: 3,
    isInFlight: true,
    wasAway: false,
    nextAt: new Date('2000-01-01'),
    zone: null,
  });
  expect(await batchesLeft(em, id, { most: 1, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toMatchObject({ available: 1 });
  await rows(em, sql`update campaign_pages set available_at = now() + interval '1 h' where campaign_id = ${id} and state = 'pending'`);
  const opened = await row(em, sql<{ at: Date }>`select min(opened_at) as at from campaign_pages where campaign_id = ${id}`);
  const outcomeUnknownAt = new Date((opened as { at: Date }).at.getTime() + OUTCOME_UNKNOWN_AFTER_MS);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 0,
    open: 3,
    isInFlight: true,
    wasAway: false,
    nextAt: outcomeUnknownAt,
    zone: null,
  });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
  expect(await batchesLeft(em, id, { most: 4, outcomeUnknownAfterMs: OUTCOME_UNKNOWN_AFTER_MS })).toEqual({
    available: 0,
    open: 0,
    isInFlight: false,
    wasAway: false,
    nextAt: null,
    zone: null,
  });
});

test('no batch of a campaign under a rate is taken before its turn, and of two who take it at once one gets it', async () => {
  const em = fork();
  const id = await campaignOf(0, 3);
  await rows(em, sql`update campaigns set rate_per_second = 1 where id = ${id}`);
  // Of sixty people, so that the next turn is a minute off, however long the second takes to ask.
  await rows(em, sql`update campaign_pages set contact_ids = array_fill(gen_random_uuid(), array[60]) where campaign_id = ${id}`);
  // Whoever is second waits for the campaign's row, which the first has.
  const waiters = await fork().transactional(async (tx) => {
    const first = await claimPacedBatch(tx, id, uuidv7());
    expect(first).toMatchObject({ batch: { campaign_id: id }, hasMore: true });
    expect(first.pauseMs).toBeGreaterThan(30_000);
    expect(first.pauseMs).toBeLessThan(60_100);
    const second = claimPacedBatch(fork(), id, uuidv7());
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
  const em = fork();
  const id = await campaignOf(0, 1);
  await rows(em, sql`update campaigns set rate_per_second = 1 where id = ${id}`);
  // Three are open.
  expect(await claimPacedBatch(em, id, uuidv7())).toMatchObject({ batch: { campaign_id: id }, hasMore: false });
});
