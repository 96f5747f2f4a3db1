import { sql } from 'kysely';
import type { Ramp } from '../../../domain/sends/allowance.ts';
import type { SendingDomainRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row, rows } from '../../rows.ts';
import { isStepBefore } from '../sends/allowance-days.ts';

/** A domain, and the ramp that it has. */
export type DomainWithRamp = Pick<SendingDomainRow, 'id' | 'domain' | 'ramp'>;

const WITH_RAMP = preparedStatement(sql<DomainWithRamp>`
  select id, domain, ramp from sending_domains where project_id = $1::uuid and ramp is not null`);

/** The project's sending domains that have a ramp. Asked for each batch of a campaign. */
export async function domainsWithRamp(em: EntityManager, projectId: string): Promise<DomainWithRamp[]> {
  return WITH_RAMP(em, [projectId]);
}

/** The ramp of a domain; undefined when it has none, or is gone. */
export async function rampOf(em: EntityManager, domainId: string): Promise<Ramp | undefined> {
  const found = await row(em, sql<Pick<SendingDomainRow, 'ramp'>>`select ramp from sending_domains where id = ${domainId}`);
  return found?.ramp ?? undefined;
}

/** Sets the ramp of a domain, or takes it away. */
export async function setRamp(tx: EntityManager, domainId: string, ramp: Ramp | null): Promise<void> {
  await row(tx, sql`update sending_domains set ramp = ${ramp && JSON.stringify(ramp)}::jsonb where id = ${domainId}`);
}

/** How far a domain is on its ramp. */
export interface RampDays {
  /** Days with mail before today. */
  readonly daysBefore: number;
  /** Mails of today, as far as they are counted. */
  readonly today: number;
}

/** Of these domains, as of this day (`2026-01-31`, UTC); those that have no ramp are not in it. */
export async function rampDays(em: EntityManager, domainIds: readonly string[], day: string): Promise<ReadonlyMap<string, RampDays>> {
  const found = await rows(
    em,
    sql<RampDays & Pick<SendingDomainRow, 'id'>>`
      select d.id, count(*) filter (where ${isStepBefore(day)}) as "daysBefore",
             coalesce(sum(t.taken) filter (where t.day = ${day}::date), 0)::integer as today
      from sending_domains d
      left join domain_days t on t.domain_id = d.id and t.day >= coalesce((d.ramp ->> 'from')::date, '-infinity')
      where d.id = any(${domainIds}::uuid[]) and d.ramp is not null group by d.id`,
  );
  return new Map(found.map(({ id, ...days }) => [id, days]));
}
