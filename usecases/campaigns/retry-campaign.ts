import type { EntityManager } from '../../db/orm.ts';
import { changeCampaign, findCampaign, lockCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { campaignStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { type RetriedOf, type RetriedRecipients, retryRecipients } from '../../db/queries/sends/retries.ts';
import type { CampaignStatus } from '../../domain/campaigns/campaign.ts';
import { Refusal } from '../../domain/errors.ts';

/** What a campaign is after the call. */
export interface RetriedCampaign extends RetriedRecipients {
  readonly status: CampaignStatus;
}

/** Why a campaign in this state is not sent again. */
const REFUSED: Partial<Record<CampaignStatus, string>> = {
  draft: 'this campaign has not begun',
  scheduled: 'this campaign has not begun: nobody has failed yet',
  queued: 'this campaign has not begun: nobody has failed yet',
  cancelled: 'this campaign is cancelled for good; send another one',
  failed: 'this campaign failed as a whole, and nobody was tried; send another one',
};

/**
 * Sends a campaign again, once each, to those recipients whose latest mail failed (docs/contract/sends.md 21): it is `sending` until they are settled, by
 * a workflow under the same id. Undefined when the project has no such campaign. Throws invalid_status.
 */
export async function retryCampaign(
  em: EntityManager,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  of: RetriedOf,
): Promise<RetriedCampaign | undefined> {
  return em.transactional(async (tx) => {
    if (!(await findCampaign(tx, projectId, id))) return undefined;
    const campaign = await lockCampaign(tx, id);
    if (!campaign) return undefined;
    const refused = REFUSED[campaign.status];
    if (refused) throw new Refusal('invalid_status', refused);
    const now = await databaseNow(tx);
    if (campaign.ends_at && campaign.ends_at <= now)
      throw new Refusal('invalid_status', `nothing of this campaign is sent after its endsAt, ${campaign.ends_at.toISOString()}`);
    const recipients = await retryRecipients(tx, campaign, of);
    if (recipients.retried === 0) return { ...recipients, status: campaign.status };
    // Why it ended, or how long a provider was away before, says nothing of what it does now.
    const begunAgain = { status: 'sending', reason: null, sent_at: null, outages: 0, first_outage_at: null, retry_at: null } as const;
    await changeCampaign(tx, id, { ...(campaign.status === 'sent' ? begunAgain : {}), retried_at: now });
    await enqueue(tx, projectId, [campaignStart(id)]);
    return { ...recipients, status: 'sending' };
  });
}
