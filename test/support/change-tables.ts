import { sql } from 'kysely';
import { isLockTimeout } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { eventually } from './eventually.ts';

/**
 * For triggers on tables that other tests use at the same time. Nobody waits behind this: whoever does would stop all who use the table
 * until the last transaction before it ends, which may be one that waits for them.
 */
export async function changeTables(em: EntityManager, statements: string): Promise<void> {
  const { error } = await eventually(async () => {
    try {
      await em.transactional(async (tx) => rows(tx, sql.raw(`set local lock_timeout = '100ms'; ${statements}`)));
      return { error: undefined };
    } catch (error) {
      return isLockTimeout(error) ? false : { error };
    }
  });
  if (error) throw error;
}
