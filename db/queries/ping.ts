import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

/** Throws when the database does not answer. */
export async function pingDatabase(em: EntityManager): Promise<void> {
  await row(em, sql`select 1`);
}
