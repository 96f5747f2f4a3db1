import type { EntityManager } from '../../db/orm.ts';
import { sendingCampaigns } from '../../db/queries/campaigns/campaigns.ts';
import { deleteSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { domainCheckSignal, enqueue, signalCampaigns } from '../../db/queries/operations/outbox.ts';

/** Deletes a sending domain with its keys, and ends its workflow. Answers whether the project had it. */
export async function deleteDomain(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const isDeleted = await deleteSendingDomain(tx, projectId, id);
    if (!isDeleted) return false;
    await enqueue(tx, projectId, [domainCheckSignal(id)]);
    // What waits for its ramp looks what becomes of it now.
    await signalCampaigns(tx, projectId, await sendingCampaigns(tx, projectId));
    return true;
  });
}
