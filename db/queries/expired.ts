import { sql } from 'kysely';
import { ANSWERS_KEPT_MS, EVENTS_KEPT_MS, FOREIGN_REPORTS_KEPT_MS, HITS_KEPT_MS, REPORTS_KEPT_MS } from '../../domain/retention.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

/** Small enough to hold nobody up; the next minute goes on. */
const AT_ONCE = 10_000;

/**
 * Deletes stored answers after 24 h, product events, hits and reports of providers after 90 days, and reports about sends that nobody
 * knows after 24 h. Product events that an active enrollment shows stay.
 */
export async function deleteExpired(em: EntityManager, now: Date): Promise<void> {
  const before = (keptMs: number): Date => new Date(now.getTime() - keptMs);
  await row(
    em,
    sql`delete from idempotency_keys where ctid in (
          select ctid from idempotency_keys where created_at < ${before(ANSWERS_KEPT_MS)} and leased_until < ${now} limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from events where id in (
          select ev.id from events ev where ev.created_at < ${before(EVENTS_KEPT_MS)}
            and not exists (select 1 from enrollments e where e.event_id = ev.id and e.status = 'active')
          order by ev.created_at limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from send_hits where id in (
          select id from send_hits where at < ${before(HITS_KEPT_MS)} order by at limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from provider_events where id in (
          select id from provider_events where received_at < ${before(REPORTS_KEPT_MS)} order by received_at limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from provider_events where id in (
          select id from provider_events where applied_at is null and received_at < ${before(FOREIGN_REPORTS_KEPT_MS)}
          order by received_at limit ${AT_ONCE})`,
  );
}
