import type { EntityManager } from '../../db/orm.ts';
import { checksToStart } from '../../db/queries/domains/sending-domains.ts';
import { domainCheckStart, enqueueEach } from '../../db/queries/operations/outbox.ts';

/** Starts the workflows of those domains that are there still; one whose start is on its way already is passed over. Returns how many. */
export async function restartChecks(tx: EntityManager, domainIds: readonly string[]): Promise<number> {
  return enqueueEach(tx, await checksToStart(tx, domainIds), domainCheckStart);
}
