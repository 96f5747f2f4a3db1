import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { allowLongStatements, lockResolving, resolveAudience } from '../../db/queries/campaigns/campaign-audience.ts';
import { changeCampaign, countSettled, findCampaignById, lockCampaign, setAudience } from '../../db/queries/campaigns/campaigns.ts';

/** Cancelled while its batches were made: they go with the transaction. */
class CancelledMeanwhile extends Error {}

/**
 * Who gets a scheduled campaign is found out when its time has come, whoever was counted before: docs/contract/campaigns.md 5. Of many millions that takes
 * minutes, in which the campaign can be paused and cancelled.
 */
export async function resolveAtRun(em: EntityManager, campaignId: string, now: Date): Promise<void> {
  const resolving = em.transactional(async (tx) => {
    await allowLongStatements(tx);
    await lockResolving(tx, campaignId);
    const campaign = await findCampaignById(tx, campaignId);
    if (!campaign || !isUnresolved(campaign)) return;
    const { project_id: projectId, audience, variants, rate_per_second: ratePerSecond } = campaign;
    const counts = await resolveAudience(tx, { campaignId, projectId, audience, variants, ratePerSecond });
    const current = await lockCampaign(tx, campaignId);
    if (!current || !isUnresolved(current)) throw new CancelledMeanwhile();
    if (!counts) {
      await countSettled(tx, campaignId, 'skipped', current.total_recipients);
      await changeCampaign(tx, campaignId, { status: 'failed', reason: 'unknown_segment' });
      return;
    }
    await setAudience(tx, campaignId, counts, now);
    await changeCampaign(tx, campaignId, counts.enrolled === 0 ? { status: 'failed', reason: 'empty_audience' } : { status: 'queued' });
  });
  await resolving.catch((error: unknown) => {
    if (!(error instanceof CancelledMeanwhile)) throw error;
  });
}

function isUnresolved({ resolved_at, status }: Pick<CampaignHead, 'resolved_at' | 'status'>): boolean {
  return !resolved_at && (status === 'scheduled' || status === 'queued');
}
