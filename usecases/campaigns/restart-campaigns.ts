import type { EntityManager } from '../../db/orm.ts';
import { campaignsToStart } from '../../db/queries/campaigns/campaign-starts.ts';
import { campaignStart, enqueueEach } from '../../db/queries/operations/outbox.ts';

/** Starts the workflows of those whose workflow should run; whose start is on its way already is passed over. Returns how many. */
export async function restartCampaigns(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await campaignsToStart(tx, ids), campaignStart, { isBulk: true });
}
