import { type RawBuilder, sql } from 'kysely';
import type { TemporalMessage } from '../../workflows/contracts.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, hotRows, row } from '../rows.ts';

export interface Outgoing {
  readonly workflowId: string;
  readonly message: TemporalMessage;
}

/** A message that this process has leased to dispatch. */
export interface LeasedMessage extends Outgoing {
  readonly id: number;
  readonly attempts: number;
}

/** Single changes go before bulk ones. */
export type OutboxPriority = 1 | 5;

/** In the transaction of the change that makes the messages due. */
export async function enqueue(tx: EntityManager, messages: readonly Outgoing[], priority: OutboxPriority = 1): Promise<void> {
  if (messages.length === 0) return;
  await hotRow(
    tx,
    sql`insert into outbox (workflow_id, message, priority)
        select m."workflowId", m.message, ${priority}
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m("workflowId" text, message jsonb)`,
  );
}

/** How many of each priority one lease takes. */
export interface LeaseLimits {
  readonly single: number;
  readonly bulk: number;
}

/** Takes due messages for this long; whoever dies with them lets them go by time. The oldest of each priority first. */
export async function leaseMessages(em: EntityManager, limits: LeaseLimits, leaseSeconds: number): Promise<LeasedMessage[]> {
  const due = (priority: OutboxPriority, limit: number): RawBuilder<unknown> =>
    sql`select id from outbox where due_at <= now() and priority = ${priority} order by id limit ${limit} for update skip locked`;
  const leased = await hotRows(
    em,
    sql<LeasedMessage>`
      with single as (${due(1, limits.single)}), bulk as (${due(5, limits.bulk)})
      update outbox o set due_at = now() + make_interval(secs => ${leaseSeconds}), attempts = o.attempts + 1
      from (select id from single union all select id from bulk) due where o.id = due.id returning o.id, o.workflow_id as "workflowId", o.message, o.attempts`,
  );
  return leased.sort((a, b) => a.id - b.id);
}

export async function deleteMessages(em: EntityManager, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await hotRow(em, sql`delete from outbox where id = any(${ids}::bigint[])`);
}

export async function retryMessages(em: EntityManager, ids: readonly number[], afterSeconds: number): Promise<void> {
  if (ids.length > 0)
    await row(em, sql`update outbox set due_at = now() + make_interval(secs => ${afterSeconds}) where id = any(${ids}::bigint[])`);
}

/** Whether a start of this workflow has not reached Temporal yet. */
export async function hasPendingStart(em: EntityManager, workflowId: string): Promise<boolean> {
  const found = await row(em, sql`select 1 from outbox where workflow_id = ${workflowId} and message ->> 'kind' = 'start' limit 1`);
  return found !== undefined;
}
