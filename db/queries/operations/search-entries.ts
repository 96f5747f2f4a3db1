import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/**
 * Merges what was written since the last time into each index that keeps a list of new entries (GIN), which every search in it reads through. Returns
 * how many pages the lists had. Only the owner of an index may; without that whoever writes merges once a list is long.
 */
export async function mergeSearchEntries(em: EntityManager): Promise<number> {
  const merged = await row(
    em,
    sql<{ pages: number }>`
      select coalesce(sum(gin_clean_pending_list(i.indexrelid::regclass)), 0)::integer as pages
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where a.amname = 'gin' and i.indisvalid and c.relnamespace = current_schema()::regnamespace and pg_has_role(c.relowner, 'usage')`,
  );
  return merged?.pages ?? 0;
}
