import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockResolving } from '../../db/queries/campaigns/campaign-audience.ts';
import { awaitsApproval } from '../../db/queries/campaigns/campaign-drafts.ts';
import { changeCampaign, countSettled, findCampaignById, lockCampaign, setAudience } from '../../db/queries/campaigns/campaigns.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import { resolveInTime, settledAtOf } from './resolve-in-time.ts';

/** Cancelled or changed while its batches were made: they go with the transaction. */
class ChangedMeanwhile extends Error {}

/**
 * Who gets a scheduled campaign is found out when its time has come, whoever was counted before: docs/contract/campaigns.md 5. Of many millions that takes
 * minutes, in which the campaign can be paused, cancelled and changed: it begins with the transaction that finds it as it was read.
 */
export async function resolveAtRun(em: EntityManager, campaignId: string, now: Date): Promise<void> {
  const resolving = em.transactional(async (tx) => {
    await allowLongStatements(tx);
    await lockResolving(tx, campaignId);
    const campaign = await findCampaignById(tx, campaignId);
    if (!campaign || !isUnresolved(campaign) || !(await mayBegin(tx, campaign))) return;
    const {
      project_id: projectId,
      audience,
      variants,
      ab_test: test,
      rate_per_second: ratePerSecond,
      topic,
      local_schedule: local,
    } = campaign;
    const of = { campaignId, projectId, audience, variants, testShare: test?.share ?? null, ratePerSecond, topic };
    const { type, send_window: choice } = campaign;
    const counts = await resolveInTime(tx, of, { type, local, choice, settledAt: settledAtOf(campaign), now });
    const current = await lockCampaign(tx, campaignId);
    if (!current || !isUnresolved(current) || current.version !== campaign.version) throw new ChangedMeanwhile();
    if (!counts) {
      await countSettled(tx, campaignId, 'skipped', current.total_recipients);
      await changeCampaign(tx, campaignId, { status: 'failed', reason: 'unknown_segment' });
      return;
    }
    await setAudience(tx, campaignId, counts, now);
    await changeCampaign(tx, campaignId, counts.enrolled === 0 ? { status: 'failed', reason: 'empty_audience' } : { status: 'queued' });
  });
  await resolving.catch((error: unknown) => {
    if (!(error instanceof ChangedMeanwhile)) throw error;
  });
}

function isUnresolved({ resolved_at, status }: Pick<CampaignHead, 'resolved_at' | 'status'>): boolean {
  return !resolved_at && (status === 'scheduled' || status === 'queued');
}

/** It may have been given another time, or a change that nobody has approved, since its workflow asked. */
async function mayBegin(tx: EntityManager, { id, status, scheduled_at }: CampaignHead): Promise<boolean> {
  if (status !== 'scheduled') return true;
  return (scheduled_at === null || scheduled_at <= (await databaseClock(tx))) && !(await awaitsApproval(tx, id));
}
