import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { limitedCampaigns, limitsOf } from '../../db/queries/campaigns/campaign-limits.ts';
import { changeCampaign, lockCampaign, sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { limitExceeded, type PausedReason } from '../../domain/campaigns/campaign-limits.ts';
import type { Logger } from '../../platform/logger.ts';

export interface LimitDeps {
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Pauses a campaign that is sending, whose row is locked, if it is beyond a limit of its project, as somebody would pause it: docs/contract/campaigns.md
 * 49. Undefined when it is not.
 */
export async function pauseIfBeyond(tx: EntityManager, { log }: LimitDeps, campaign: CampaignHead): Promise<PausedReason | undefined> {
  const { id, project_id: projectId, status, paused, judged } = campaign;
  if (status !== 'sending' || paused) return undefined;
  const limits = await limitsOf(tx, projectId);
  if (limits.bounceRate === null && limits.complaintRate === null) return undefined;
  const reason = limitExceeded(limits, await sumCampaignCounts(tx, id), judged);
  if (!reason) return undefined;
  await changeCampaign(tx, id, { paused: true, paused_reason: reason });
  log.warn('campaign.paused_by_limit', { campaignId: id, projectId, ...reason });
  return reason;
}

/** Has those of these campaigns pause that are beyond a limit of their project. Any number may ask at once. */
export async function pauseBeyondLimits(em: EntityManager, deps: LimitDeps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const { id, limits, judged } of await limitedCampaigns(em, ids)) {
    // Without a lock, since senders take batches meanwhile; what is decided is decided with it.
    if (!limitExceeded(limits, await sumCampaignCounts(em, id), judged)) continue;
    await em.transactional(async (tx) => {
      const campaign = await lockCampaign(tx, id);
      if (campaign && (await pauseIfBeyond(tx, deps, campaign))) await signalCampaigns(tx, campaign.project_id, [id]);
    });
  }
}
