import { type RawBuilder, sql } from 'kysely';
import type { ThrottleConfig } from '../../../domain/sequences/kinds/throttle-config.ts';
import type { ThrottlePassRow } from '../../entities/index.ts';
import { ThrottlePass } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Whose passes of which throttle. */
export type Throttled = Pick<ThrottlePassRow, 'contact_id' | 'sequence_id' | 'node_id' | 'sandboxed'>;

export interface LatestPasses {
  /** By PostgreSQL's clock. */
  readonly now: Date;
  /** The latest instants, those to come included. */
  readonly at: readonly Date[];
}

/** Whether `p` is a pass: a run that had ended before its instant came has not passed. */
function counts(now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when p.at > ${now} then exists (select 1 from enrollments e where e.id = p.enrollment_id and e.status = 'active')
                  else not exists (select 1 from enrollments e where e.id = p.enrollment_id and e.ended_at < p.at) end`;
}

/** The latest passes, as many as count. What a run waited for that has ended is none. */
export async function latestPasses(
  tx: EntityManager,
  { contact_id, sequence_id, node_id, sandboxed }: Throttled,
  count: number,
): Promise<LatestPasses> {
  const found = await row(
    tx,
    sql<{ now: Date; at: string[] }>`
      select clock_timestamp() as now, coalesce((select json_agg(l.at) from (
        select p.at from throttle_passes p
        where p.contact_id = ${contact_id} and p.sequence_id = ${sequence_id} and p.node_id = ${node_id} and p.sandboxed = ${sandboxed}
          and ${counts(sql`clock_timestamp()`)}
        order by p.at desc limit ${count}) l), '[]') as at`,
  );
  return { now: found!.now, at: found!.at.map((at) => new Date(at)) };
}

/** Keeps that a run passes, now or when it has waited. */
export async function keepPass(tx: EntityManager, pass: ThrottlePassRow): Promise<void> {
  await tx.insert(ThrottlePass, pass);
}

/** When runs of a contact passed the throttles of a sequence, by node: as many as may count. Epoch milliseconds. */
export async function passesOf(
  em: EntityManager,
  { contact_id, sequence_id }: Pick<ThrottlePassRow, 'contact_id' | 'sequence_id'>,
  throttles: readonly { readonly id: string; readonly config: Pick<ThrottleConfig, 'count'> }[],
): Promise<Record<string, number[]>> {
  if (throttles.length === 0) return {};
  const most = Math.max(...throttles.map(({ config }) => config.count));
  const found = await rows(
    em,
    sql<Pick<ThrottlePassRow, 'node_id' | 'at'>>`
      select n.id as node_id, l.at from unnest(${throttles.map(({ id }) => id)}::text[]) as n(id) cross join lateral (
        select p.at from throttle_passes p
        where p.contact_id = ${contact_id} and p.sequence_id = ${sequence_id} and p.node_id = n.id and not p.sandboxed
          and ${counts(sql`now()`)}
        order by p.at desc limit ${most}) l`,
  );
  const byNode = Map.groupBy(found, ({ node_id }) => node_id);
  return Object.fromEntries([...byNode].map(([nodeId, passes]) => [nodeId, passes.map(({ at }) => at.getTime())]));
}
