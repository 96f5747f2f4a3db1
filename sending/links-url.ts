import type { EntityManager } from '../db/orm.ts';
import { domainsWithHost } from '../db/queries/domains/sending-domains.ts';
import { trackingHostOf } from '../domain/domains/records.ts';
import type { LinksUrlFor } from './batch-deps.ts';
import { createNearestDomain } from './nearest-domain.ts';

interface LinksUrlDeps {
  /** Forked for each question. */
  readonly em: EntityManager;
  readonly publicUrl: string;
}

/** The tracking host of the sender's domain, or else of the nearest above it, as long as its record is found; with the path of the public URL. */
export function createLinksUrl({ em, publicUrl }: LinksUrlDeps): LinksUrlFor {
  const path = new URL(publicUrl).pathname.replace(/\/$/, '');
  return createNearestDomain(
    async (projectId) =>
      new Map(
        (await domainsWithHost(em.fork(), projectId, 'tracking')).map(
          (domain) => [domain, `https://${trackingHostOf(domain)}${path}`] as const,
        ),
      ),
  );
}
