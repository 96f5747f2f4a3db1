import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** PostgreSQL's clock, which is the same for all processes; in a transaction the instant at which it began. */
export async function databaseNow(em: EntityManager): Promise<Date> {
  const found = await row(em, sql<{ now: Date }>`select now() as now`);
  return (found as { now: Date }).now;
}

/** The same clock at this very moment, also in a transaction that has waited for a lock. */
export async function databaseClock(em: EntityManager): Promise<Date> {
  const found = await row(em, sql<{ now: Date }>`select clock_timestamp() as now`);
  return (found as { now: Date }).now;
}
