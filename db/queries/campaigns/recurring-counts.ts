import { sql } from 'kysely';
import { OVERDUE_MS } from '../../../domain/operations/stuck.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { limitStatements } from '../operations/statement-limits.ts';
import { MOST_COUNTED } from '../sequences/active-enrollments.ts';
import { LATEST_OUTCOME } from './recurring-campaigns.ts';

/** How recurring campaigns stand that have not ended, each one way. `overdue`: nobody has run it. `not_made`: its last run made no campaign. */
export const RECURRING_STATES = ['active', 'paused', 'overdue', 'not_made'] as const;
export type RecurringState = (typeof RECURRING_STATES)[number];

/** How many of all projects stand how, counted within an index up to MOST_COUNTED. Throws when it takes longer than a second. */
export async function countRecurring(em: EntityManager): Promise<Readonly<Record<RecurringState, number>>> {
  const found = await em.transactional(async (tx) => {
    await limitStatements(tx);
    return rows(
      tx,
      sql<{ state: RecurringState; count: number }>`
        select case when r.status = 'paused' then 'paused'
                 when r.next_due_at < now() - make_interval(secs => ${sql.lit(OVERDUE_MS / 1000)}) then 'overdue'
                 when l.outcome in ('not_created', 'missed') then 'not_made' else 'active' end as state, count(*) as count
        from (select id, status, next_due_at from recurring_campaigns where status <> 'ended' limit ${sql.lit(MOST_COUNTED)}) r
        left join lateral ${LATEST_OUTCOME} l on true
        group by 1`,
    );
  });
  const counts = new Map(found.map(({ state, count }) => [state, count]));
  const of = (state: RecurringState): number => counts.get(state) ?? 0;
  return { active: of('active'), paused: of('paused'), overdue: of('overdue'), not_made: of('not_made') };
}
