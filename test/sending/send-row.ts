import { sql } from 'kysely';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';

/** The row of the only mail to this address; undefined when there is none. */
export async function rowOf(em: EntityManager, to: string): Promise<SendRow | undefined> {
  return row(em, sql<SendRow>`select * from sends where to_email = ${to}`);
}
