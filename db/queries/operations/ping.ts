import type { Pool } from 'pg';
import type { EntityManager } from '../../orm.ts';
import { preparedPoolOf } from '../../prepared-statements.ts';

const PATIENCE_MS = 3_000;

/**
 * Throws when the database does not answer in time; the connection that has been asked is closed then, so that pings of a server that hangs
 * do not use up the pool. Asks those for prepared statements: none of them is held by a transaction.
 */
export async function pingDatabase(em: EntityManager, patienceMs = PATIENCE_MS): Promise<void> {
  const pool = preparedPoolOf((await em.getConnection().getNativeClient()) as Pool);
  // The driver's type lacks the limit that its query takes.
  const question = { text: 'select 1', query_timeout: patienceMs };
  await pool.query(question);
}
