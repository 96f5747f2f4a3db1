import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { changeCampaign, readAudiences, readCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { emit } from '../../db/queries/webhooks/emit.ts';
import { isWaitingReason, type ShownAudience } from '../../domain/campaigns/campaign.ts';
import { campaignRecord } from '../../domain/campaigns/campaign-record.ts';
import { OUTAGE_PATIENCE_MS } from '../../domain/sends/submission-times.ts';

/** Makes a campaign `sent`, all of whose recipients are settled, and says so to the project's endpoints. The caller has its row locked. */
export async function finishCampaign(tx: EntityManager, campaign: CampaignHead, now: Date): Promise<CampaignHead> {
  // An outage that did not end it is over, and so is what else it waited for.
  const wasAway = campaign.reason === 'provider_unavailable' && !isAwayTooLong(campaign, now);
  const isOver = wasAway || campaign.reason === 'allowance_used' || isWaitingReason(campaign.reason);
  const change = { status: 'sent', sent_at: now, reason: isOver ? null : campaign.reason } as const;
  await changeCampaign(tx, campaign.id, change);
  const sent = { ...campaign, ...change };
  const byVariant = (await readCampaignCounts(tx, [campaign.id])).get(campaign.id);
  const audience = (await readAudiences(tx, [campaign.id])).get(campaign.id) as ShownAudience;
  await emit(tx, campaign.project_id, { type: 'campaign.completed', data: campaignRecord(sent, { audience, byVariant }) });
  return sent;
}

/** Whether the provider has been away for longer than a campaign waits for it: docs/contract/campaigns.md 18. */
export function isAwayTooLong({ first_outage_at }: Pick<CampaignHead, 'first_outage_at'>, now: Date): boolean {
  return first_outage_at !== null && now.getTime() - first_outage_at.getTime() >= OUTAGE_PATIENCE_MS;
}
