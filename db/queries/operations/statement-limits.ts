import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** Statements that only measure end by themselves before anybody notices them. */
const MOST_MS = 1_000;

/** For the rest of the transaction. */
export async function limitStatements(tx: EntityManager): Promise<void> {
  await row(tx, sql`set local statement_timeout = ${sql.lit(MOST_MS)}`);
}

/**
 * For the rest of the transaction: many millions of recipients take longer than what a statement may usually take, and nobody waits for one
 * whose process was killed. A server whose system cannot tell that of a connection does not end it early.
 */
export async function allowLongStatements(tx: EntityManager): Promise<void> {
  await row(tx, sql`set local statement_timeout = '10min'`);
  await row(
    tx,
    sql`do $$ begin perform set_config('client_connection_check_interval', '1s', true); exception when invalid_parameter_value then null; end $$`,
  );
}
