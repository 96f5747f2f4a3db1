import { sql } from 'kysely';
import { OVERDUE_MS } from '../../../domain/operations/stuck.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { limitStatements } from '../operations/statement-limits.ts';
import { MOST_COUNTED } from '../sequences/active-enrollments.ts';

/** How many mails of all projects wait for their time, counted within an index up to MOST_COUNTED. Throws when it takes longer than a second. */
export async function countScheduled(em: EntityManager): Promise<number> {
  return em.transactional(async (tx) => {
    await limitStatements(tx);
    const found = await row(
      tx,
      sql<{ count: number }>`select count(*) as count from (select 1 from scheduled_sends limit ${sql.lit(MOST_COUNTED)}) q`,
    );
    return found?.count ?? 0;
  });
}

/** Mails of a project that should have gone more than OVERDUE_MS ago. */
export interface OverdueScheduled {
  /** At most as many as were asked for. */
  readonly count: number;
  /** For how long the first of them has been due; null where there is none. */
  readonly oldestMs: number | null;
}

/** Counted up to `most`. */
export async function overdueScheduled(em: EntityManager, projectId: string, most: number): Promise<OverdueScheduled> {
  const found = await row(
    em,
    sql<OverdueScheduled>`
      select count(*) as count, (extract(epoch from now() - min(due_at)) * 1000)::double precision as "oldestMs" from (
        select due_at from scheduled_sends
        where project_id = ${projectId} and due_at < now() - make_interval(secs => ${sql.lit(OVERDUE_MS / 1000)})
        order by due_at limit ${sql.lit(most)}) q`,
  );
  return found ?? { count: 0, oldestMs: null };
}
