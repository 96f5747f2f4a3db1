import type { MikroORM } from '../db/orm.ts';
import { findDomainById } from '../db/queries/domains/sending-domains.ts';
import { nextCheckMs } from '../domain/domains/standing.ts';
import { type Checking, checkDomain } from '../usecases/domains/check-domain.ts';
import type { DomainCheckInput, DomainCheckReport } from '../workflows/contracts.ts';

/** What the workflow of a sending domain may ask for. */
export function createDomainActivities({ orm, ...checking }: Omit<Checking, 'em'> & { readonly orm: MikroORM }) {
  return {
    async checkDomainRecords({ domainId }: DomainCheckInput): Promise<DomainCheckReport> {
      const em = orm.em.fork();
      const domain = await findDomainById(em, domainId);
      const checked = domain && (await checkDomain({ ...checking, em }, domain));
      if (!checked) return 'gone';
      const { standing, created_at, findings } = checked;
      const purposes = Object.entries(findings);
      return {
        standing,
        lacking: purposes.flatMap(([purpose, { state }]) => (state === 'found' ? [] : [purpose])),
        unavailable: purposes.flatMap(([purpose, { unavailable }]) => (unavailable === undefined ? [] : [purpose])),
        nextInMs: nextCheckMs(standing, checking.now().getTime() - created_at.getTime()),
      };
    },
  };
}

export type DomainActivities = ReturnType<typeof createDomainActivities>;
