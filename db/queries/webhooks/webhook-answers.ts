import { type RawBuilder, sql } from 'kysely';
import type { ShownAnswer } from '../../../domain/webhooks/shown-answer.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/**
 * The statement that keeps the answers of ended attempts: rows of a CTE with the delivery's `id`, `begun_at` and `kept`, of those deliveries
 * that another CTE has written, with `id` and `event_id`. Of an event whose contact was erased none is kept, since an answer may repeat what
 * was sent. The event's row is locked, so that an erasure that is just being written is seen here, or sees what is written here.
 */
export function keepingAnswers(ended: string, written: string): RawBuilder<unknown> {
  return sql`
    insert into webhook_answers (delivery_id, at, answer)
    select a.id, a.begun_at, a.kept from (
      select e.id, e.begun_at, e.kept from ${sql.table(ended)} e join ${sql.table(written)} w on w.id = e.id
      join webhook_events v on v.id = w.event_id where e.kept is not null and not v.data ? 'erased' for share of v) a
    on conflict do nothing`;
}

/** What is kept of the answers to a delivery's attempts, by the instant at which the attempt began. */
export async function answersTo(em: EntityManager, deliveryId: string): Promise<ReadonlyMap<string, ShownAnswer>> {
  const found = await rows(
    em,
    sql<{ at: Date; answer: ShownAnswer }>`select at, answer from webhook_answers where delivery_id = ${deliveryId}`,
  );
  return new Map(found.map(({ at, answer }) => [at.toISOString(), answer]));
}

/** Of events that tell of nobody any more, in a statement after the one that made them so: an answer that was just being kept is seen. */
export async function eraseAnswers(tx: EntityManager, eventIds: readonly string[]): Promise<void> {
  await row(
    tx,
    sql`delete from webhook_answers a using webhook_deliveries d where d.event_id = any(${eventIds}::uuid[]) and a.delivery_id = d.id`,
  );
}
