import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../db/orm.ts';
import { signingKeys } from '../db/queries/domains/sending-domains.ts';
import { upwardsFrom } from '../domain/contacts/domain-name.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import type { DkimKey } from '../platform/mail/dkim-key.ts';
import type { DkimKeysFor } from './batch-deps.ts';

/** A record that is found, or gone, counts for mails so much later at most. */
const KEPT_MS = 30_000;
const MOST_PROJECTS = 5_000;
const NONE: readonly DkimKey[] = [];

/** The keys of a project by their domain, as they were read last. */
type ProjectKeys = ReadonlyMap<string, readonly DkimKey[]>;

interface DkimKeysDeps {
  /** Forked for each question. */
  readonly em: EntityManager;
  readonly vault: Vault;
}

/** The keys whose records stand in DNS, of the sender's domain or else of the nearest above it; read once in half a minute for each project. */
export function createDkimKeys({ em, vault }: DkimKeysDeps): DkimKeysFor {
  const opened = new LRUCache<string, readonly DkimKey[]>({ max: MOST_PROJECTS });
  const kept = new LRUCache<string, Promise<ProjectKeys>>({ max: MOST_PROJECTS, ttl: KEPT_MS });

  const read = async (projectId: string): Promise<ProjectKeys> => {
    const found = await signingKeys(em.fork(), projectId);
    return new Map(
      found.map(({ id, domain, selector, sealed_private_key: sealed }) => {
        // The very same array as before, which batches share.
        const keys = opened.get(id) ?? [
          { domain, selector, algorithm: 'rsa', privateKey: vault.open(sealed, sealedOf.dkimKey(id)).toString() },
        ];
        opened.set(id, keys);
        return [domain, keys];
      }),
    );
  };

  return async (projectId, domain) => {
    let keys = kept.get(projectId);
    if (!keys) {
      keys = read(projectId);
      kept.set(projectId, keys);
      // What could not be read is asked for again.
      keys.catch(() => kept.delete(projectId));
    }
    const known = await keys;
    const signing = known.size === 0 ? undefined : upwardsFrom(domain).find((name) => known.has(name));
    return (signing !== undefined && known.get(signing)) || NONE;
  };
}
