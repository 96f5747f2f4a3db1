import type { MikroORM } from '../db/orm.ts';
import { dkimKeysOf } from '../db/queries/domains/dkim-keys.ts';
import { findDomainById } from '../db/queries/domains/sending-domains.ts';
import { purposeOf } from '../domain/domains/finding.ts';
import { nextCheckMs } from '../domain/domains/standing.ts';
import { type Checking, checkDomain } from '../usecases/domains/check-domain.ts';
import { rotateAgedKeys } from '../usecases/domains/give-keys.ts';
import type { KeyMaking } from '../usecases/domains/make-keys.ts';
import type { DomainCheckInput, DomainCheckReport } from '../workflows/contracts.ts';

interface DomainActivitiesDeps extends Omit<Checking, 'em'>, KeyMaking {
  readonly orm: MikroORM;
  /** Keys that have signed for so long get a successor; undefined: none does by itself. */
  readonly rotateAfterMs: number | undefined;
}

/** What the workflow of a sending domain may ask for. */
export function createDomainActivities({ orm, rotateAfterMs, ...deps }: DomainActivitiesDeps) {
  return {
    async checkDomainRecords({ domainId }: DomainCheckInput): Promise<DomainCheckReport> {
      const em = orm.em.fork();
      const domain = await findDomainById(em, domainId);
      if (domain && rotateAfterMs !== undefined) await rotateAgedKeys({ ...deps, em }, domain, rotateAfterMs);
      const checked = domain && (await checkDomain({ ...deps, em }, domain));
      if (!checked) return 'gone';
      const { standing, created_at, findings } = checked;
      const found = Object.entries(findings);
      return {
        standing,
        lacking: found.flatMap(([key, { state }]) => (state === 'found' ? [] : [purposeOf(key)])),
        unavailable: found.flatMap(([key, { unavailable }]) => (unavailable === undefined ? [] : [purposeOf(key)])),
        nextInMs: nextCheckMs({ standing, created_at, findings, keys: await dkimKeysOf(em, domainId) }, deps.now()),
      };
    },
  };
}

export type DomainActivities = ReturnType<typeof createDomainActivities>;
