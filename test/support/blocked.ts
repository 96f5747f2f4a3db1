import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { eventually } from './eventually.ts';

/** How many sessions wait for a lock of this transaction, or behind one that does. */
export async function blockedBy(tx: EntityManager): Promise<number> {
  const found = await row(
    tx,
    sql<{ count: number }>`
      with recursive waiting as (
        select pid from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))
        union
        select a.pid from waiting w join pg_stat_activity a on w.pid = any(pg_blocking_pids(a.pid))
      )
      select count(*) as count from waiting`,
  );
  return found?.count ?? 0;
}

/** Waits until some session waits for a lock of this transaction. */
export async function untilBlocked(tx: EntityManager): Promise<void> {
  await eventually(async () => (await blockedBy(tx)) > 0);
}
