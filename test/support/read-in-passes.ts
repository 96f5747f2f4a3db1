import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';

/** How many rows the work read in passes through whole tables. */
export async function readInPasses(em: EntityManager, work: (tx: EntityManager) => Promise<unknown>): Promise<Record<string, number>> {
  return em.fork().transactional(async (tx) => {
    const count = async () =>
      new Map(
        (
          await rows(
            tx,
            sql<{ name: string; read: number }>`select relname::text as name, seq_tup_read as read from pg_stat_xact_user_tables`,
          )
        ).map(({ name, read }) => [name, read]),
      );
    const before = await count();
    await work(tx);
    const after = await count();
    return Object.fromEntries([...after].flatMap(([name, read]) => (read - (before.get(name) ?? 0) > 1_000 ? [[name, read]] : [])));
  });
}
