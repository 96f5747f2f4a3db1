import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { endBatch, lockLeftBatches } from '../../../db/queries/campaigns/batch-ends.ts';
import { closeRecipients, openBatch } from '../../../db/queries/campaigns/campaign-mails.ts';
import { sumCampaignCounts, unbalancedCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { neededJournals, type SendIntent } from '../../../db/queries/sends/send-intents.ts';
import { row, rows } from '../../../db/rows.ts';
import { OUTCOME_UNKNOWN } from '../../../domain/sends/outcome-unknown.ts';
import type { SendOutcome } from '../../../domain/sends/send.ts';
import { OUTAGE_PATIENCE_MS } from '../../../domain/sends/submission-times.ts';
import { cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { unblockedBy, untilBlocked } from '../../support/blocked.ts';
import { bareProject } from '../../support/own-database.ts';
import { claimOne, laterOf, OPENING, ownBatches } from './own-batches.ts';

const { fork, projectId, campaignOf, sendingCampaign, intentOf, contactOf } = ownBatches();

test('who has unsubscribed or bounced is passed over by a campaign of whatever type, and leaves no row', async () => {
  const em = fork();
  for (const status of ['unsubscribed', 'bounced']) {
    const id = await sendingCampaign();
    const batch = await claimOne(em, id);
    const intent = { ...intentOf(batch), toEmail: await contactOf(batch, status), type: 'transactional' as const };
    expect(await openBatch(em, batch, [intent], OPENING)).toMatchObject({ state: 'opened', verdicts: [{ by: status }] });
    expect(await rows(em, sql`select 1 from sends where source_id = ${id}`)).toEqual([]);
    expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 0, failed: 0, skipped: 1 });
  }
});

test('a batch is opened within the opening of its window alone, by the clock of the database', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const batch = await claimOne(em, id);
  const intent = { ...intentOf(batch), toEmail: await contactOf(batch) };
  const hours = (from: number, to: number) => ({
    opensAt: new Date(Date.now() + from * 3_600_000),
    closesAt: new Date(Date.now() + to * 3_600_000),
  });
  for (const closed of [hours(1, 2), hours(-2, -1)])
    expect(await openBatch(em, batch, [intent], { ...OPENING, opening: closed })).toEqual({ state: 'stopped', reason: 'send_window' });
  expect(await openBatch(em, batch, [intent], { ...OPENING, opening: hours(-1, 1) })).toMatchObject({ state: 'opened', verdicts: [null] });
});

test('a batch that was left names the recipients of its own project, whoever has their ids in another', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const batch = await claimOne(em, id);
  const intent = { ...intentOf(batch), toEmail: await contactOf(batch) };
  await contactOf(batch, 'subscribed', (await bareProject(em)).id);
  expect(await openBatch(em, batch, [intent], OPENING)).toMatchObject({ state: 'opened', verdicts: [null] });
  const left = await em.transactional((tx) => lockLeftBatches(tx, id, 0));
  expect(left.map(({ mails }) => mails)).toEqual([[expect.objectContaining({ id: intent.id, toEmail: intent.toEmail })]]);
});

test('of two who settle what a campaign has left at once the second passes by what the first has, and does not wait for it', async () => {
  const id = await campaignOf(0, 0);
  await fork().transactional(async (tx) => {
    expect(await lockLeftBatches(tx, id, 0)).toHaveLength(3);
    const second = fork().transactional((other) => lockLeftBatches(other, id, 0));
    expect(await unblockedBy(tx, second)).toEqual([]);
  });
});

test('mails for later of a batch that ends while its campaign is being cancelled are cancelled with it, and none is left', async () => {
  const em = fork();
  const id = await sendingCampaign();
  await rows(em, sql`update campaigns set total_recipients = 1, resolved_at = now() where id = ${id}`);
  const batch = await claimOne(em, id);
  await rows(
    em,
    sql`insert into contacts (project_id, id, email, status, brand_id)
        select id, ${batch.contact_ids[0]}, 'a@to.example', 'subscribed', slug from projects where id = ${projectId()}`,
  );
  expect(await openBatch(em, batch, [intentOf(batch)], OPENING)).toMatchObject({ state: 'opened' });
  const { ending } = await fork().transactional(async (tx) => {
    expect(await cancelCampaignRow(tx, id, null)).toMatchObject({ state: 'cancelled' });
    const ending = endBatch(fork(), batch, laterOf(intentOf(batch)));
    await untilBlocked(tx);
    return { ending };
  });
  await ending;
  expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`)).toEqual([]);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 0, skipped: 0, cancelled: 1 });
});

test('the journal of the process that has a batch open is needed until the batch ends', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const batch = await claimOne(em, id);
  const journal = uuidv7();
  await openBatch(em, batch, [intentOf(batch)], { ...OPENING, journal });
  expect(await neededJournals(em, [journal, uuidv7()])).toEqual([journal]);
  await endBatch(em, batch, { ...laterOf(intentOf(batch)), later: [] });
  expect(await neededJournals(em, [journal])).toEqual([]);
});

test('a batch that is opened while its campaign is being cancelled waits for that, and is not opened then', async () => {
  const em = fork();
  const id = await sendingCampaign();
  const batch = await claimOne(em, id);
  const { opened } = await fork().transactional(async (tx) => {
    await rows(tx, sql`update campaigns set status = 'cancelled' where id = ${id}`);
    const opening = openBatch(fork(), batch, [intentOf(batch)], OPENING);
    await untilBlocked(tx);
    return { opened: opening };
  });
  expect(await opened).toEqual({ state: 'stopped', reason: 'ended' });
  expect(await rows(em, sql`select state from campaign_pages where campaign_id = ${id}`)).toEqual([{ state: 'leased' }]);
});

test('a truth that comes while its mail is being settled as of unknown outcome stands, and is counted once', async () => {
  const id = await campaignOf(0, 0);
  const em = fork();
  const intent: SendIntent = {
    ...{ id: uuidv7(), projectId: projectId(), contactId: null, brandId: 'b', toEmail: '', template: 't', type: 'marketing', subject: 's' },
    ...{ sourceType: 'campaign', sourceId: id, identity: { by: 'nothing' }, journal: null },
  };
  const close = (of: EntityManager, outcome: SendOutcome) =>
    closeRecipients(of, [{ intent, openedAt: new Date(), outcome, hasWebhooks: false }]);
  const { telling } = await em.transactional(async (tx) => {
    await close(tx, OUTCOME_UNKNOWN);
    const telling = close(fork(), { status: 'sent', providerId: 'told' });
    await untilBlocked(tx);
    return { telling };
  });
  expect(await telling).toEqual([intent.id]);
  expect(await row(em, sql`select status, provider_id, error from sends where id = ${intent.id}`)).toEqual({
    ...{ status: 'sent', provider_id: 'told', error: null },
  });
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: 1, failed: 0 });
});

/** A campaign of so many recipients: a mail that waits to go again under its key was told by the process that was frozen over it; the others wait for their turn. */
async function toldMeanwhile(recipients: number): Promise<string> {
  const em = fork();
  const id = await sendingCampaign();
  await rows(em, sql`update campaigns set total_recipients = ${recipients}, resolved_at = now() where id = ${id}`);
  const batch = await claimOne(em, id);
  for (let no = 1; no < recipients; no++)
    await rows(
      em,
      sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}::uuid, ${100 + no}, array[gen_random_uuid()])`,
    );
  const intent = { ...intentOf(batch), toEmail: await contactOf(batch) };
  const opened = await openBatch(em, batch, [intent], OPENING);
  const openedAt = 'openedAt' in opened ? opened.openedAt : new Date(Number.NaN);
  await endBatch(em, batch, { ...laterOf(intentOf(batch)), later: [{ ...intent, maybeSubmittedAt: openedAt }] });
  await closeRecipients(em, [{ intent, openedAt, outcome: { status: 'sent', providerId: 'told' }, hasWebhooks: false }]);
  return id;
}

test.each([
  ['others are left', 2, { state: 'cancelled' }, { sent: 1, failed: 0, skipped: 0, cancelled: 1 }],
  ['nobody is left', 1, { state: 'sent' }, { sent: 1, failed: 0, skipped: 0, cancelled: 0 }],
] as const)(
  'a mail that waits to go again and was told by the process that was frozen over it counts once, and a cancel leaves no batch of it, where %s',
  async (_, recipients, cancelled, counts) => {
    const em = fork();
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
  const em = fork();
  const id = await sendingCampaign();
  let toEmail: string | undefined;
  const isPutOff = async (): Promise<Date | undefined> => {
    const batch = await claimOne(em, id);
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
