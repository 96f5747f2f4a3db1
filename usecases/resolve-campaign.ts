import type { CampaignRow } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { allowLongStatements, resolveAudience } from '../db/queries/campaign-audience.ts';
import { changeCampaign, countSettled, findCampaignById, lockCampaign, setAudience } from '../db/queries/campaigns.ts';

/** Who gets a scheduled campaign is found out when its time has come, whoever was counted before: decisions.md 6.5. */
export async function resolveAtRun(em: EntityManager, campaignId: string, now: Date): Promise<void> {
  await em.transactional(async (tx) => {
    await allowLongStatements(tx);
    const campaign = await lockCampaign(tx, campaignId);
    if (!campaign || campaign.resolved_at || !['scheduled', 'queued'].includes(campaign.status)) return;
    const { audience } = (await findCampaignById(tx, campaignId)) as CampaignRow;
    const { project_id: projectId, variants, rate_per_second: ratePerSecond } = campaign;
    const counts = await resolveAudience(tx, { campaignId, projectId, audience, variants, ratePerSecond });
    if (!counts) {
      await countSettled(tx, campaignId, 'skipped', campaign.total_recipients);
      await changeCampaign(tx, campaignId, { status: 'failed', reason: 'unknown_segment' });
      return;
    }
    await setAudience(tx, campaignId, counts, now);
    await changeCampaign(tx, campaignId, counts.enrolled === 0 ? { status: 'failed', reason: 'empty_audience' } : { status: 'queued' });
  });
}
