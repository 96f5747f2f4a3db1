import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../db/orm.ts';
import { type SigningKey, signingKeys } from '../db/queries/domains/dkim-keys.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import type { DkimKey } from '../platform/mail/dkim-key.ts';
import type { DkimKeysFor } from './batch-deps.ts';
import { createNearestDomain, MOST_PROJECTS } from './nearest-domain.ts';

const NONE: readonly DkimKey[] = [];

interface DkimKeysDeps {
  /** Forked for each question. */
  readonly em: EntityManager;
  readonly vault: Vault;
}

/** The keys whose turn it is, of the sender's domain or else of the nearest above it: one of RSA, and one of Ed25519 beside it. */
export function createDkimKeys({ em, vault }: DkimKeysDeps): DkimKeysFor {
  const opened = new LRUCache<string, readonly DkimKey[]>({ max: MOST_PROJECTS });

  const open = ({ id, domain, selector, algorithm, sealed_private_key: sealed }: SigningKey): DkimKey => ({
    ...{ domain, selector, algorithm },
    privateKey: vault.open(sealed, sealedOf.dkimKey(id)).toString(),
  });

  const nearest = createNearestDomain(async (projectId) => {
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
  });

  return async (projectId, domain) => (await nearest.of(projectId, domain)) ?? NONE;
}
