import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** A provider on one day. */
export interface ProviderDay {
  readonly provider: string;
  /** `2026-01-31`, UTC. */
  readonly day: string;
}

/** Takes so many mails of the day's allowance, or what is left of it. Answers with how many. */
export async function takeAllowance(
  em: EntityManager,
  { provider, day, daily, wanted }: ProviderDay & { readonly daily: number; readonly wanted: number },
): Promise<number> {
  return em.transactional(async (tx) => {
    await row(tx, sql`insert into provider_days (provider, day, taken) values (${provider}, ${day}::date, 0) on conflict do nothing`);
    const before = await row(
      tx,
      sql<{ taken: number }>`select taken from provider_days where provider = ${provider} and day = ${day}::date for update`,
    );
    const count = Math.max(0, Math.min(wanted, daily - (before?.taken ?? daily)));
    await row(tx, sql`update provider_days set taken = taken + ${count} where provider = ${provider} and day = ${day}::date`);
    return count;
  });
}

/** Of what was taken and not used. */
export async function returnAllowance(
  em: EntityManager,
  { provider, day, count }: ProviderDay & { readonly count: number },
): Promise<void> {
  await row(em, sql`update provider_days set taken = greatest(0, taken - ${count}) where provider = ${provider} and day = ${day}::date`);
}
