import type { EntityManager } from '../db/orm.ts';
import { domainsWithHost } from '../db/queries/domains/sending-domains.ts';
import { returnPathHostOf } from '../domain/domains/records.ts';
import type { ReturnHostFor } from './batch-deps.ts';
import { createNearestDomain } from './nearest-domain.ts';

/** The host of the sender's domain for what comes back, or else of the nearest above it, as long as its record is found. `em`: forked for each question. */
export function createReturnHost({ em }: { readonly em: EntityManager }): ReturnHostFor {
  return createNearestDomain(async (projectId) => {
    const domains = await domainsWithHost(em.fork(), projectId, 'return_path');
    return new Map(domains.map((domain) => [domain, returnPathHostOf(domain)] as const));
  });
}
