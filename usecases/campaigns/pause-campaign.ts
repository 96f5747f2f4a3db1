import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { changeCampaign, findCampaign, lockCampaign, sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { NOT_PAUSED, OPEN_CAMPAIGN_STATUSES } from '../../domain/campaigns/campaign.ts';
import { judgedOf } from '../../domain/campaigns/campaign-limits.ts';
import { Refusal } from '../../domain/errors.ts';

const OPEN: readonly string[] = OPEN_CAMPAIGN_STATUSES;

/** Pauses a campaign that has not ended, or lets a paused one go on. Undefined when the project has none. Throws invalid_status. */
export async function setPaused(em: EntityManager, projectId: string, id: string, paused: boolean): Promise<CampaignHead | undefined> {
  return em.transactional(async (tx) => {
    if (!(await findCampaign(tx, projectId, id))) return undefined;
    const campaign = await lockCampaign(tx, id);
    if (!campaign) return undefined;
    if (!OPEN.includes(campaign.status)) throw new Refusal('invalid_status', `this campaign is ${campaign.status}`);
    if (campaign.paused === paused)
      throw new Refusal('invalid_status', paused ? 'this campaign is paused already' : 'this campaign is not paused');
    // What has let it pause by itself does not do so again: docs/contract/campaigns.md 51.
    const judged = campaign.paused_reason === null ? {} : { judged: judgedOf(await sumCampaignCounts(tx, id)) };
    const change = paused ? { paused } : { ...NOT_PAUSED, ...judged };
    await changeCampaign(tx, id, change);
    await signalCampaigns(tx, projectId, [id]);
    return { ...campaign, ...change };
  });
}
