import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { KEPT_MS } from './idempotency.ts';

const EVENTS_KEPT_MS = 90 * 86_400_000;
/** Small enough to hold nobody up; the next minute goes on. */
const AT_ONCE = 10_000;

/** Deletes stored answers after 24 h and product events after 90 days; those that an active enrollment shows stay. */
export async function deleteExpired(em: EntityManager, now: Date): Promise<void> {
  const answersBefore = new Date(now.getTime() - KEPT_MS);
  const eventsBefore = new Date(now.getTime() - EVENTS_KEPT_MS);
  await row(
    em,
    sql`delete from idempotency_keys where ctid in (
          select ctid from idempotency_keys where created_at < ${answersBefore} and leased_until < ${now} limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from events where id in (
          select ev.id from events ev where ev.created_at < ${eventsBefore}
            and not exists (select 1 from enrollments e where e.event_id = ev.id and e.status = 'active') limit ${AT_ONCE})`,
  );
}
