import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import { type DomainWithRamp, domainsWithRamp, rampOf } from '../../db/queries/domains/ramps.ts';
import { createNearestDomain, MOST_PROJECTS } from '../nearest-domain.ts';
import { type Allowances, createAllowances } from './allowances.ts';

/** The ramps of sending domains, as one process has them. */
export interface Ramps {
  /** What may go of the sender's domain, or else of the nearest above it that has a ramp; undefined: as much as there is. Asked for each mail. */
  of(projectId: string, domain: string): Promise<Allowances | undefined>;
  /** To be called before mails of a campaign go, for which ramps are: they obey what is set by then. */
  forget(projectId: string): void;
  /** To be called when nothing is submitted any more. */
  close(): Promise<void>;
}

/** Mails that are not held are counted by a ramp at most so long after it was set. */
const KEPT_MS = 2_000;

interface Known {
  /** As it is compared. */
  readonly ramp: string;
  readonly allowances: Allowances;
}

/** Of a project, by the ids of its domains. */
type KnownDomains = ReadonlyMap<string, Known>;

/** `em` is forked for each question. */
export function createRamps({ em, now }: { readonly em: EntityManager; readonly now: () => Date }): Ramps {
  const leaveAll = async (domains: Iterable<Known>): Promise<void> => {
    await Promise.all([...domains].map(({ allowances }) => allowances.leave()));
  };
  const projects = new LRUCache<string, KnownDomains>({
    max: MOST_PROJECTS,
    dispose: (domains, _, why) => why === 'evict' && leaveAll(domains.values()),
  });
  const allowancesOf = (id: string, name: string): Allowances =>
    createAllowances({
      ...{ em: em.fork(), holder: { of: 'domain', name }, of: { domainId: id }, hasRamp: true, hasDaily: false, now },
      limits: async () => ({ ramp: await rampOf(em.fork(), id) }),
      // It may be changed at any moment, for which campaigns that wait are told to look again.
      lookAgainMs: 0,
    });
  const knownOf = ({ id, domain, ramp }: DomainWithRamp, before: Known | undefined): Known => ({
    ramp: JSON.stringify(ramp),
    allowances: before?.allowances ?? allowancesOf(id, domain),
  });
  const nearest = createNearestDomain(async (projectId) => {
    const found = await domainsWithRamp(em.fork(), projectId);
    const before: KnownDomains = projects.get(projectId) ?? new Map();
    const domains = new Map(found.map((domain) => [domain.id, knownOf(domain, before.get(domain.id))]));
    if (domains.size > 0) projects.set(projectId, domains);
    else projects.delete(projectId);
    // What was taken by a ramp that is another one now, or gone, before anything is taken by the new one.
    await leaveAll([...before].flatMap(([id, known]) => (domains.get(id)?.ramp === known.ramp ? [] : [known])));
    return new Map(found.map(({ id, domain }) => [domain, (domains.get(id) as Known).allowances]));
  }, KEPT_MS);
  return {
    ...nearest,
    async close() {
      await Promise.all([...projects.values()].map((domains) => leaveAll(domains.values())));
    },
  };
}
