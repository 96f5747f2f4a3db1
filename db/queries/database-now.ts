import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

/** PostgreSQL's clock, which is the same for all processes; in a transaction the instant at which it began. */
export async function databaseNow(em: EntityManager): Promise<Date> {
  const found = await row(em, sql<{ now: Date }>`select now() as now`);
  return (found as { now: Date }).now;
}
