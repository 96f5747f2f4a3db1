import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../db/orm.ts';
import { type SigningKey, signingKeys } from '../db/queries/domains/dkim-keys.ts';
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

/**
 * The keys whose turn it is, of the sender's domain or else of the nearest above it: one of RSA, and one of Ed25519 beside it. Read once in half a minute for
 * each project.
 */
export function createDkimKeys({ em, vault }: DkimKeysDeps): DkimKeysFor {
  const opened = new LRUCache<string, readonly DkimKey[]>({ max: MOST_PROJECTS });
  const kept = new LRUCache<string, Promise<ProjectKeys>>({ max: MOST_PROJECTS, ttl: KEPT_MS });

  const open = ({ id, domain, selector, algorithm, sealed_private_key: sealed }: SigningKey): DkimKey => ({
    ...{ domain, selector, algorithm },
    privateKey: vault.open(sealed, sealedOf.dkimKey(id)).toString(),
  });

  const read = async (projectId: string): Promise<ProjectKeys> => {
    const found = Map.groupBy(await signingKeys(em.fork(), projectId), ({ domain }) => domain);
    return new Map(
      [...found].map(([domain, rows]) => {
        // The very same array as before, which batches share.
        const name = rows.map(({ id }) => id).join();
        const keys = opened.get(name) ?? rows.map(open);
        opened.set(name, keys);
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
