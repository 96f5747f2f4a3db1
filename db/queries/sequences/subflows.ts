import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { tables } from '../../tables.ts';

/** How many runs subflows have entered below this one. Exact while the transaction holds the contact locked: all runs of one root are of the same contact. */
export async function countEntered(tx: EntityManager, rootId: string): Promise<number> {
  const found = await row(tx, sql<{ entered: number }>`select count(*) as entered from enrollments where root_id = ${rootId}`);
  return found!.entered;
}

/** The enrollment that this step waits for; undefined when that has ended, or is gone with its sequence. */
export async function awaitedSubflow(tx: EntityManager, parentId: string, step: number): Promise<string | undefined> {
  const children = tables(tx).selectFrom('enrollments').select('id').where('parent_id', '=', parentId).where('parent_step', '=', step);
  return (await children.where('status', '=', 'active').limit(1).executeTakeFirst())?.id;
}
