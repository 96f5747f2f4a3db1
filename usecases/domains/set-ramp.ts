import type { SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { sendingCampaigns } from '../../db/queries/campaigns/campaigns.ts';
import { setRamp } from '../../db/queries/domains/ramps.ts';
import { findDomainById, lockSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { dayOf } from '../../domain/sends/allowance.ts';

/**
 * Gives a domain a ramp with these steps, other steps, or none (null). One that has a ramp stays on its day, and a new one begins today. Campaigns that
 * wait for the next day look again. Undefined when the domain is gone.
 */
export async function giveRamp(
  em: EntityManager,
  { id, project_id: projectId }: Pick<SendingDomainRow, 'id' | 'project_id'>,
  steps: readonly number[] | null,
  now: Date,
): Promise<SendingDomainRow | undefined> {
  return em.transactional(async (tx) => {
    const domain = await lockSendingDomain(tx, id);
    if (!domain) return undefined;
    await setRamp(tx, id, steps && { steps, from: domain.ramp?.from ?? dayOf(now) });
    await signalCampaigns(tx, projectId, await sendingCampaigns(tx, projectId));
    return findDomainById(tx, id);
  });
}
