import { type RawBuilder, sql } from 'kysely';
import { OVERDUE_MS } from '../../../domain/operations/stuck.ts';
import { HOLD_REASONS, type HoldReason, WAITS, type WaitingFor } from '../../../domain/sequences/waiting-for.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { limitStatements } from '../operations/statement-limits.ts';

/** What enrollments do that have not ended, in the words of EverpostState; `going`: a step of theirs is under way. */
export type ActiveState = 'going' | 'waiting' | 'held' | 'retrying';

/** Those of all projects that stand alike. */
export interface ActiveEnrollments {
  readonly state: ActiveState;
  /** What they wait for, why they are held, or what is tried again; empty for those that go. */
  readonly reason: string;
  readonly count: number;
  /** Of these, those that `workflow stuck` tells since their instant is long over. */
  readonly overdue: number;
}

/** Of more than these there is no need to know how many exactly. */
export const MOST_COUNTED = 1_000_000;

const HELD: Record<HoldReason, ActiveState> = {
  paused: 'held',
  project_suspended: 'held',
  email_unverified: 'held',
  send_window: 'held',
  frequency_cap: 'held',
  too_many_steps: 'held',
  provider_unavailable: 'retrying',
};

/** Every `waiting_for` (docs/contract/events.md 27), those for events as one: there is no end of their types. */
const STANDINGS: readonly (Pick<ActiveEnrollments, 'state' | 'reason'> & { readonly is: RawBuilder<unknown> })[] = [
  { state: 'going', reason: '', is: sql`waiting_for is null` },
  { state: 'waiting', reason: 'event', is: sql`waiting_for like 'event:%'` },
  ...WAITS.map((reason) => ({ state: reason === 'webhook' ? ('retrying' as const) : ('waiting' as const), reason, is: isFor(reason) })),
  ...HOLD_REASONS.map((reason) => ({ state: HELD[reason], reason, is: isFor(`held:${reason}`) })),
];

function isFor(waitingFor: WaitingFor): RawBuilder<unknown> {
  return sql`waiting_for = ${sql.lit(waitingFor)}`;
}

/**
 * How many enrollments stand how, each counted within an index up to MOST_COUNTED. Those that have ended are not counted: there may be any
 * number. Throws when one of them takes longer than a second.
 */
export async function countActiveEnrollments(em: EntityManager): Promise<ActiveEnrollments[]> {
  return em.transactional(async (tx) => {
    await limitStatements(tx);
    const counted: ActiveEnrollments[] = [];
    for (const { is, ...standing } of STANDINGS) {
      const found = await row(
        tx,
        sql<Pick<ActiveEnrollments, 'count' | 'overdue'>>`
          select count(*) as count, count(*) filter (where wakes_at < now() - make_interval(secs => ${sql.lit(OVERDUE_MS / 1000)})) as overdue
          from (select wakes_at from enrollments where status = 'active' and ${is} limit ${sql.lit(MOST_COUNTED)}) e`,
      );
      counted.push({ ...standing, count: found?.count ?? 0, overdue: found?.overdue ?? 0 });
    }
    return counted;
  });
}
