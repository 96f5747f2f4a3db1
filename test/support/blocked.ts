import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { eventually } from './eventually.ts';

/**
 * How many sessions wait for a lock of this transaction, or behind one that does. Of locks, since a transaction sees the list of sessions as
 * it was when it first asked. Not one that changes the table as a whole, as changeTables does: it waits for whoever has used it, and for no row.
 */
export async function blockedBy(tx: EntityManager): Promise<number> {
  const found = await row(
    tx,
    sql<{ count: number }>`
      with recursive stuck as materialized (
        select distinct pid, pg_blocking_pids(pid) as blockers from pg_locks
        where not granted and not (locktype = 'relation' and mode in ('AccessExclusiveLock', 'ShareRowExclusiveLock'))
      ), waiting as (
        select pid from stuck where pg_backend_pid() = any(blockers)
        union
        select s.pid from waiting w join stuck s on w.pid = any(s.blockers)
      )
      select count(*) as count from waiting`,
  );
  return found?.count ?? 0;
}

/** Waits until so many sessions wait for a lock of this transaction. */
export async function untilBlocked(tx: EntityManager, sessions = 1): Promise<void> {
  await eventually(async () => (await blockedBy(tx)) >= sessions);
}

/** What it comes to; throws as soon as anybody waits for a lock of this transaction. */
export async function unblockedBy<T>(tx: EntityManager, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  void work.then(over, over);
  await eventually(async () => isOver || (await blockedBy(tx)) > 0);
  if (!isOver) throw new Error('it waits for a lock');
  return work;
}
