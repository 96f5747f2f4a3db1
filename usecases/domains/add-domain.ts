import type { SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dkimKeysOf } from '../../db/queries/domains/dkim-keys.ts';
import { countSendingDomains, holdSendingDomain, setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { MOST_DOMAINS } from '../../domain/domains/domain.ts';
import { Refusal } from '../../domain/errors.ts';
import { giveKeys, lackingKeys } from './give-keys.ts';
import type { KeyMaking } from './make-keys.ts';

interface Adding extends KeyMaking {
  readonly em: EntityManager;
}

/**
 * Adds a sending domain with a key that signs its mail, or gives the one that is there what it lacks of it: one that an operator has added gets its key
 * here, and any one of Ed25519 when it is asked for. Throws too_many_domains.
 */
export async function addDomain(
  { em, ...making }: Adding,
  projectId: string,
  { domain, ed25519 }: { readonly domain: string; readonly ed25519: boolean },
): Promise<SendingDomainRow> {
  const added = await em.transactional(async (tx) => {
    const found = await holdSendingDomain(tx, projectId, domain);
    if (!found && (await countSendingDomains(tx, projectId)) >= MOST_DOMAINS) {
      throw new Refusal('too_many_domains', `a project has at most ${MOST_DOMAINS} sending domains; delete unused ones`);
    }
    return found ?? (await setSendingDomain(tx, { id: making.newId(), projectId, domain, verified: false }));
  });
  const isSwitchedOn = ed25519 && !added.ed25519;
  const lacksNothing = !isSwitchedOn && lackingKeys(added.ed25519)(added, await dkimKeysOf(em, added.id)).length === 0;
  // Deleted meanwhile it is as it was.
  return lacksNothing ? added : ((await giveKeys({ em, ...making }, added, ed25519 ? { ed25519 } : {})) ?? added);
}
