import type { SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import {
  countSendingDomains,
  dkimKeyOf,
  holdSendingDomain,
  insertDkimKey,
  setSendingDomain,
} from '../../db/queries/domains/sending-domains.ts';
import { domainCheckStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { MOST_DOMAINS } from '../../domain/domains/domain.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Vault } from '../../domain/projects/crypto.ts';
import { sealedOf } from '../../domain/projects/sealed.ts';
import { createDkimKey } from '../../platform/mail/dkim-key.ts';

interface Adding {
  readonly em: EntityManager;
  readonly vault: Vault;
  readonly newId: () => string;
}

/**
 * Adds a sending domain with a key that signs its mail, or gives the one that is there what it lacks of it: one that an operator has added gets
 * its key here. Throws too_many_domains.
 */
export async function addDomain({ em, vault, newId }: Adding, projectId: string, domain: string): Promise<SendingDomainRow> {
  // Before the transaction: it takes some hundred milliseconds.
  const { privateKey, record } = await createDkimKey('rsa');
  return em.transactional(async (tx) => {
    const found = await holdSendingDomain(tx, projectId, domain);
    if (!found && (await countSendingDomains(tx, projectId)) >= MOST_DOMAINS) {
      throw new Refusal('too_many_domains', `a project has at most ${MOST_DOMAINS} sending domains; delete unused ones`);
    }
    const added = found ?? (await setSendingDomain(tx, { id: newId(), projectId, domain, verified: false }));
    if (!(await dkimKeyOf(tx, added.id))) {
      const id = newId();
      const sealed = vault.seal(Buffer.from(privateKey), sealedOf.dkimKey(id));
      await enqueue(tx, projectId, [domainCheckStart(added.id)]);
      await insertDkimKey(tx, {
        ...{ id, domain_id: added.id, selector: selectorOf(id), sealed_private_key: sealed },
        record,
      });
    }
    return added;
  });
}

/** Two projects may have the same domain, and each its keys. */
function selectorOf(keyId: string): string {
  return `ep-${keyId.replaceAll('-', '').slice(-8)}`;
}
