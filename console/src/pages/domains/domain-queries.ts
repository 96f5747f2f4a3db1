import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import type { Session } from '../../session/session.tsx';
import { hostOf } from '../../show/sender-host.ts';
import { awaitedKeys } from './record-words.ts';

/** What every query of sending domains begins with. */
export const DOMAINS = ['domains'] as const;

export type Domain = Schemas['SendingDomain'];
export type DomainWithRecords = Schemas['SendingDomainWithRecords'];
export type DomainRecord = Schemas['DomainRecord'];

/** While somebody sets records, Everpost finds them by itself. */
const PENDING_AGAIN_MS = 10_000;
const AGAIN_MS = 60_000;

function againMs(domains: readonly Domain[] = []): number {
  return domains.some(({ standing, verified }) => standing === 'failing' || !verified) ? PENDING_AGAIN_MS : AGAIN_MS;
}

/** All of the project, by name. */
export function domainsQuery() {
  return queryOptions({
    queryKey: [...DOMAINS, 'list'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/domains', { signal }))).domains,
    refetchInterval: ({ state }) => againMs(state.data),
  });
}

/** One with the records to set and what stands in DNS. */
export function domainQuery(id: string) {
  return queryOptions({
    queryKey: [...DOMAINS, 'one', id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/domains/{id}', { params: { path: { id } }, signal }))).domain,
    refetchInterval: ({ state: { data } }) => (data && awaitedKeys(data.records).length > 0 ? PENDING_AGAIN_MS : againMs(data && [data])),
  });
}

/** The domain that decides about senders at this host: itself, else the nearest one above it; undefined when there is none. */
export function domainOf<T extends Pick<Domain, 'domain'>>(host: string, domains: readonly T[]): T | undefined {
  return domains
    .filter(({ domain }) => host === domain || host.endsWith(`.${domain}`))
    .toSorted((one, other) => other.domain.length - one.domain.length)[0];
}

/** The domain whose ramp holds what is sent from this host: docs/contract/identity.md 44. */
export function rampedDomainOf(host: string, domains: readonly Domain[]): Domain | undefined {
  const ramped = domains.filter(({ ramp }) => ramp !== null);
  return domainOf(host, ramped);
}

/** Brands whose sender is on the domain or below it. */
export function sendersOn(domain: Pick<Domain, 'domain'>, brands: Session['brands']): Session['brands'] {
  return brands.filter(({ from_email }) => from_email !== null && domainOf(hostOf(from_email), [domain]));
}
