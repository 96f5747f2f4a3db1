import { sql } from 'kysely';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import type { TestProject } from '../../support/project.ts';

export const erase = (by: Pick<TestProject, 'api'>, id: string) => by.api.delete(`/contacts/${id}`);

/** The tables in which a word stands. */
export async function tablesWith(em: EntityManager, word: string): Promise<string[]> {
  const all = await rows(
    em,
    sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of all) {
    if (await row(em, sql`select 1 from ${sql.table(name)} t where t::text ilike ${`%${word}%`} limit 1`)) found.push(name);
  }
  return found;
}
