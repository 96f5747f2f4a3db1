import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { limitStatements } from './queue-ages.ts';

/** Enrollments that have not ended, in all projects: those that something holds, and those that run or wait. */
export interface ActiveEnrollments {
  readonly held: number;
  readonly going: number;
}

/** Of more than these there is no need to know how many exactly. */
export const MOST_COUNTED = 1_000_000;

/**
 * Counted within the indexes of open enrollments, up to MOST_COUNTED. Those that have ended are not counted: there may be any number. Throws
 * when it takes longer than a second.
 */
export async function countActiveEnrollments(em: EntityManager): Promise<ActiveEnrollments> {
  const most = sql.lit(MOST_COUNTED);
  return em.transactional(async (tx) => {
    await limitStatements(tx);
    const counted = await row(
      tx,
      sql<{ active: number; held: number }>`
        select (select count(*) from (select id from enrollments where status = 'active' limit ${most}) a) as active,
               (select count(*) from (select project_id from enrollments where status = 'active' and waiting_for like 'held:%' limit ${most}) h)
                 as held`,
    );
    const { active = 0, held = 0 } = counted ?? {};
    return { held, going: Math.max(0, active - held) };
  });
}
