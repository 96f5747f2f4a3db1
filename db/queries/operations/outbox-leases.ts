import { sql } from 'kysely';
import type { OutboxMessageRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, preparedRows, row } from '../../rows.ts';
import { type Outgoing, SINGLE } from './outbox.ts';

/** A message that this process has leased to dispatch. */
export interface LeasedMessage extends Outgoing, Pick<OutboxMessageRow, 'id' | 'attempts' | 'priority'> {}

/** The column holds whole milliseconds: what was written just now may be due in a fraction of one. */
const ROUNDING = sql.raw(`interval '1 millisecond'`);

/** How many of each priority one lease takes at most. */
export interface LeaseLimits {
  readonly single: number;
  readonly bulk: number;
}

/** The CTE of every priority and project that have messages, each found by one step of an index. For `with recursive`. */
export const LINES = sql.raw(`lines as (
  (select o.priority, o.project_id from outbox o order by o.priority, o.project_id limit 1)
  union all
  select next.* from lines l cross join lateral (
    select o.priority, o.project_id from outbox o where (o.priority, o.project_id) > (l.priority, l.project_id)
    order by o.priority, o.project_id limit 1) next
)`);

/**
 * Takes due messages for this long; whoever dies with them lets them go by time. Of each priority every project that has some gets the same
 * share, its oldest messages first; where there are more projects than places, chance decides. From the first lease on `created_at` says since
 * when it has been due, which for what was planned for later is its time: the lease itself takes the place of that in `due_at`.
 */
export async function leaseMessages(em: EntityManager, limits: LeaseLimits, leaseSeconds: number): Promise<LeasedMessage[]> {
  const limit = sql`case when l.priority = ${SINGLE} then ${limits.single}::integer else ${limits.bulk}::integer end`;
  const leased = await preparedRows(
    em,
    sql<LeasedMessage>`
      with recursive ${LINES}, shares as (
        select l.*, ${limit} as places, least(${limit}, greatest(1, (${limit}) / count(*) over (partition by l.priority))) as share from lines l
      ), offered as materialized (
        select l.priority, l.places, m.id from shares l cross join lateral (
          select o.id from outbox o where o.priority = l.priority and o.project_id = l.project_id and o.due_at <= now() + ${ROUNDING}
          order by o.id limit l.share for update skip locked) m
      ), taken as (
        select t.id from (select f.*, row_number() over (partition by f.priority order by random()) as place from offered f) t
        where t.place <= t.places
      )
      update outbox o set due_at = now() + make_interval(secs => ${leaseSeconds}), attempts = o.attempts + 1,
        created_at = case when o.attempts = 0 then greatest(o.created_at, o.due_at) else o.created_at end
      from taken t where o.id = t.id returning o.id, o.workflow_id as "workflowId", o.message, o.attempts, o.priority`,
  );
  return leased.sort((a, b) => a.id - b.id);
}

/** Whether it is a message of a bulk change. */
export function isBulk({ priority }: LeasedMessage): boolean {
  return priority !== SINGLE;
}

export async function deleteMessages(em: EntityManager, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await preparedRow(em, sql`delete from outbox where id = any(${ids}::bigint[])`);
}

export async function retryMessages(em: EntityManager, ids: readonly number[], afterSeconds: number): Promise<void> {
  if (ids.length > 0)
    await row(em, sql`update outbox set due_at = now() + make_interval(secs => ${afterSeconds}) where id = any(${ids}::bigint[])`);
}

/**
 * Leaves messages until the start of their workflow is due, for 2 to 30 seconds: a start that is planned is no refusal by Temporal, so this
 * was no try.
 */
export async function awaitStart(em: EntityManager, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await row(
      em,
      sql`update outbox o set attempts = o.attempts - 1, due_at = greatest(now() + interval '2 seconds', least(now() + interval '30 seconds',
            (select min(s.due_at) from outbox s where s.workflow_id = o.workflow_id and s.message ->> 'kind' = 'start')))
          where o.id = any(${ids}::bigint[])`,
    );
}

/** More would take longer to count than the number is worth. */
const MOST_COUNTED = 1_000_000;

/** How many messages are due, or were tried and are due again after a pause. Counted up to a million. */
export async function countWaiting(em: EntityManager): Promise<number> {
  const counted = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from (select 1 from outbox where attempts > 0 or due_at <= now() limit ${sql.lit(MOST_COUNTED)}) waiting`,
  );
  return counted?.count ?? 0;
}
