import type { EntityManager } from '../../db/orm.ts';
import { unbalancedCampaigns } from '../../db/queries/campaigns/campaigns.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';

/** More of them say no more. */
const TOLD = 20;

/** Says in the log and in a metric which campaigns' counts do not add up to their recipients: docs/contract/campaigns.md 10. That is a fault of ours. */
export async function checkCampaignCounts(
  em: EntityManager,
  { log, metrics }: { readonly log: Logger; readonly metrics: Pick<Metrics, 'campaignsUnbalanced'> },
): Promise<void> {
  const found = await unbalancedCampaigns(em, TOLD);
  metrics.campaignsUnbalanced(found.length);
  for (const { id, ...counts } of found) log.error('campaigns.unbalanced', { campaignId: id, ...counts });
}
