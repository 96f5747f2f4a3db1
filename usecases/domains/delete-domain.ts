import type { EntityManager } from '../../db/orm.ts';
import { deleteSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { domainCheckSignal, enqueue } from '../../db/queries/operations/outbox.ts';

/** Deletes a sending domain with its keys, and ends its workflow. Answers whether the project had it. */
export async function deleteDomain(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const isDeleted = await deleteSendingDomain(tx, projectId, id);
    if (isDeleted) await enqueue(tx, projectId, [domainCheckSignal(id)]);
    return isDeleted;
  });
}
