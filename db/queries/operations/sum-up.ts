import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/**
 * Makes one row of all that add to the same number, so that reading numbers whose rows are only ever added stays quick. `table` has a
 * `delta` beside the columns that name a number.
 */
export async function sumUpDeltas(em: EntityManager, table: string, columns: readonly string[]): Promise<void> {
  const of = sql.join(columns.map((column) => sql.ref(column)));
  const counts = sql.table(table);
  await row(
    em,
    sql`
      with summed as (
        delete from ${counts} where (${of}) in (select ${of} from ${counts} group by ${of} having count(*) > 1)
        returning ${of}, delta)
      insert into ${counts} (${of}, delta)
      select ${of}, sum(delta) from summed group by ${of} having sum(delta) <> 0`,
  );
}
