import { sql } from 'kysely';
import {
  ANSWERS_KEPT_MS,
  ATTEMPTS_KEPT_MS,
  DELIVERIES_KEPT_MS,
  EVENTS_KEPT_MS,
  FOREIGN_REPORTS_KEPT_MS,
  HITS_KEPT_MS,
  REPORTS_KEPT_MS,
} from '../../domain/retention.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

/** Small enough to hold nobody up; the next minute goes on. */
const AT_ONCE = 10_000;

/**
 * Deletes stored answers after 24 h; product events, hits, reports of providers, and outgoing events with their deliveries after 90 days;
 * reports about sends that nobody knows, and attempts without a delivery, after 24 h. Product events that an active enrollment shows stay,
 * and so do deliveries that are pending.
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
  // Ids of version 7 begin with their time. One that is begun again meanwhile stays.
  const firstKept = idOf(before(DELIVERIES_KEPT_MS));
  await row(
    em,
    sql`delete from webhook_deliveries where status <> 'pending' and id in (
          select id from webhook_deliveries where id < ${firstKept}::uuid and status <> 'pending' order by id limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from webhook_events where id in (
          select v.id from webhook_events v where v.id < ${firstKept}::uuid
            and not exists (select 1 from webhook_deliveries d where d.event_id = v.id)
          order by v.id limit ${AT_ONCE})`,
  );
  await row(
    em,
    sql`delete from webhook_attempts where delivery_id in (
          select h.delivery_id from webhook_attempts h where h.begun_at < ${before(ATTEMPTS_KEPT_MS)}
            and not exists (select 1 from webhook_deliveries d where d.id = h.delivery_id) limit ${AT_ONCE})`,
  );
}

/** The least UUIDv7 of an instant. */
function idOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
