import type { EntityManager } from '../db/orm.ts';
import { domainsWithHost } from '../db/queries/domains/sending-domains.ts';
import { type AliasPurpose, returnPathHostOf, trackingHostOf } from '../domain/domains/records.ts';
import type { LinksUrlFor, ReturnHostFor } from './batch-deps.ts';
import { createNearestDomain } from './nearest-domain.ts';

interface DomainHostsDeps {
  /** Forked for each question. */
  readonly em: EntityManager;
}

/** The tracking host of the sender's domain, or else of the nearest above it, as long as its record is found; with the path of the public URL. */
export function createLinksUrl({ em, publicUrl }: DomainHostsDeps & { readonly publicUrl: string }): LinksUrlFor {
  const path = new URL(publicUrl).pathname.replace(/\/$/, '');
  return createDomainHost(em, 'tracking', (domain) => `https://${trackingHostOf(domain)}${path}`);
}

/** The host of the sender's domain for what comes back, or else of the nearest above it, as long as its record is found. */
export function createReturnHost({ em }: DomainHostsDeps): ReturnHostFor {
  return createDomainHost(em, 'return_path', returnPathHostOf);
}

function createDomainHost(em: EntityManager, purpose: AliasPurpose, shownAs: (domain: string) => string) {
  return createNearestDomain(async (projectId) => {
    const domains = await domainsWithHost(em.fork(), projectId, purpose);
    return new Map(domains.map((domain) => [domain, shownAs(domain)] as const));
  }).of;
}
