import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import { domainsWithRamp, rampOf } from '../../db/queries/domains/ramps.ts';
import { createNearestDomain, MOST_PROJECTS } from '../nearest-domain.ts';
import { type Allowances, createAllowances } from './allowances.ts';

/** The ramps of sending domains, as one process has them. */
export interface Ramps {
  /** What may go of the sender's domain, or else of the nearest above it that has a ramp; undefined: as much as there is. Asked for each mail. */
  of(projectId: string, domain: string): Promise<Allowances | undefined>;
  /** To be called when nothing is submitted any more. */
  close(): Promise<void>;
}

/** `em` is forked for each question. */
export function createRamps({ em, now }: { readonly em: EntityManager; readonly now: () => Date }): Ramps {
  const known = new LRUCache<string, Allowances>({ max: MOST_PROJECTS, dispose: (allowances) => void allowances.close() });
  const allowancesOf = (id: string, domain: string): Allowances => {
    const before = known.get(id);
    if (before) return before;
    const allowances = createAllowances({
      ...{ em: em.fork(), holder: { of: 'domain', name: domain }, of: { domainId: id }, hasRamp: true, hasDaily: false, now },
      limits: async () => ({ ramp: await rampOf(em.fork(), id) }),
      // It may be changed at any moment, for which campaigns that wait are told to look again.
      lookAgainMs: 0,
    });
    known.set(id, allowances);
    return allowances;
  };
  const nearest = createNearestDomain(async (projectId) => {
    const found = await domainsWithRamp(em.fork(), projectId);
    return new Map(found.map(({ id, domain }) => [domain, allowancesOf(id, domain)]));
  });
  return {
    of: nearest,
    async close() {
      const last = [...known.values()];
      await Promise.all(last.map((allowances) => allowances.close()));
    },
  };
}
