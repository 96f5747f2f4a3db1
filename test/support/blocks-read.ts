import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';

/** How many blocks of this table and its indexes all statements of this database have read until now, from memory or not. */
export async function blocksRead(em: EntityManager, table: string): Promise<number> {
  await rows(em, sql`select pg_stat_force_next_flush()`);
  const read = await row(
    em,
    sql<{ blocks: number }>`select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint as blocks
                            from pg_statio_user_tables where relname = ${table}`,
  );
  return read?.blocks ?? Number.NaN;
}

/** PostgreSQL learns nothing of what is in these tables, as while they grow faster than it looks. */
export async function withoutStatistics(em: EntityManager, tables: readonly string[]): Promise<void> {
  for (const table of tables) await rows(em, sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`);
}
