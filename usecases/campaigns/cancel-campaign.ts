import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dropBatches } from '../../db/queries/campaigns/batch-ends.ts';
import { hasOpenBatch, isInFlight } from '../../db/queries/campaigns/campaign-batches.ts';
import { changeCampaign, countSettled, findCampaign, lockCampaign, sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { type CampaignReason, NOT_PAUSED } from '../../domain/campaigns/campaign.ts';
import { settledOf } from '../../domain/campaigns/counters.ts';
import { Refusal } from '../../domain/errors.ts';
import { type Closing, REASON_OF_CLOSING } from '../../domain/operations/closing.ts';
import { IN_FLIGHT_MS } from '../../domain/sends/submission-times.ts';
import type { LeftBatches } from '../../sending/left-batches.ts';
import { finishCampaign } from './finish-campaign.ts';

/** What is under way is looked at after pauses that grow from the first to the longest. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** A sweeper that settles the same batches at this moment has so long: what it has not settled then is not in the answer. */
const SWEEPER_MS = 10_000;

/**
 * Cancels a campaign for good: after it resolves no further mail is submitted to the provider. Returns how many never will be, 0 when it was
 * cancelled before; undefined when the project has no such campaign. Throws already_sent, and invalid_status of a draft.
 */
export async function cancelCampaign(
  em: EntityManager,
  leftBatches: LeftBatches,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<number | undefined> {
  if (!(await findCampaign(em, projectId, id))) return undefined;
  const found = await em.transactional(async (tx) => {
    if ((await lockCampaign(tx, id))?.status === 'draft')
      throw new Refusal('invalid_status', 'this campaign is a draft, which is launched or deleted: DELETE /campaigns/:id');
    const { state = 'ended', campaign } = (await cancelCampaignRow(tx, id, null)) ?? {};
    if (state !== 'ended') await signalCampaigns(tx, projectId, [id]);
    return { isSent: campaign?.status === 'sent', isFirst: state === 'cancelled' };
  });
  // What was found to be sent stays so.
  if (found.isSent) throw new Refusal('already_sent', 'this campaign has been sent');
  await settleOpenBatches(em, leftBatches, { projectId, id });
  return found.isFirst ? (await sumCampaignCounts(em, id)).cancelled : 0;
}

/** `ended`: it was sent or cancelled before. `sent`: by this call, since there was nobody left who could not get it. */
export interface Cancelled {
  readonly state: 'ended' | 'sent' | 'cancelled';
  readonly campaign: CampaignHead;
}

/** A sent or cancelled campaign stays as it is, and one whose recipients are all settled is sent. Whoever is not in flight is settled. */
export async function cancelCampaignRow(tx: EntityManager, id: string, reason: CampaignReason | null): Promise<Cancelled | undefined> {
  const campaign = await lockCampaign(tx, id);
  if (!campaign) return undefined;
  if (campaign.status === 'sent' || campaign.status === 'cancelled') return { state: 'ended', campaign };
  const now = await databaseNow(tx);
  if (campaign.status === 'sending' && settledOf(await sumCampaignCounts(tx, id)) >= campaign.total_recipients) {
    // Mails that wait to go again, and of which a process that was given up has told meanwhile.
    await dropBatches(tx, id, 'settled');
    return { state: 'sent', campaign: await finishCampaign(tx, campaign, now) };
  }
  // Why a failed one failed stays to be read.
  const change = {
    status: 'cancelled',
    cancelled_at: now,
    ...NOT_PAUSED,
    reason: reason ?? (campaign.status === 'failed' ? campaign.reason : null),
  } as const;
  await changeCampaign(tx, id, change);
  const left = await dropBatches(tx, id, 'cancelled');
  const isUnresolved = campaign.resolved_at === null && campaign.status !== 'failed';
  await countSettled(tx, id, 'cancelled', isUnresolved ? campaign.total_recipients : left);
  return { state: 'cancelled', campaign: { ...campaign, ...change } };
}

/** Cancels a campaign whose workflow closed without it. Returns whether it had not ended; mails in flight are settled by the sweeper. */
export async function settleCampaign(tx: EntityManager, id: string, closing: Closing): Promise<boolean> {
  const cancelled = await cancelCampaignRow(tx, id, REASON_OF_CLOSING[closing]);
  return cancelled !== undefined && cancelled.state !== 'ended';
}

/** Waits for the mails in flight; those of a process that has died have an unknown outcome. The workflow, which may wait for the same, is told. */
async function settleOpenBatches(
  em: EntityManager,
  leftBatches: LeftBatches,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<void> {
  const settle = (isNews: boolean): Promise<void> =>
    em.transactional(async (tx) => {
      const unknown = await leftBatches.settle(tx, id, { ageMs: IN_FLIGHT_MS, mayWait: false });
      if (isNews || unknown !== undefined) await signalCampaigns(tx, projectId, [id]);
    });
  const wasInFlight = await waitWhile(() => isInFlight(em, id));
  await settle(wasInFlight);
  const until = performance.now() + SWEEPER_MS;
  await waitWhile(
    async () => performance.now() < until && (await hasOpenBatch(em, id)),
    () => settle(false),
  );
}

/** Looks after pauses that grow, each of them followed by `then`. Returns whether it held at the first look. */
async function waitWhile(holds: () => Promise<boolean>, then?: () => Promise<void>): Promise<boolean> {
  let held = false;
  for (let pause = FIRST_PAUSE_MS; await holds(); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    held = true;
    await sleep(pause);
    await then?.();
  }
  return held;
}
