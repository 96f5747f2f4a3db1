import { sql } from 'kysely';
import { sha256 } from '../../domain/crypto.ts';
import type { ReportedEvent } from '../../domain/inbound/event.ts';
import type { ProviderEventRow, SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { applyReport } from './delivery-reports.ts';
import { recordHit } from './send-hits.ts';

/** Bytes. */
const LONGEST_KEY = 500;

export interface KeptEvents {
  readonly projectId: string;
  readonly provider: string;
  readonly events: readonly ReportedEvent[];
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Keeps what a provider reported, each event once, before anything is made of it. Answers with the ids of those that are not applied
 * yet: new ones, and ones that an earlier call was cut off from.
 */
export async function keepProviderEvents(em: EntityManager, { projectId, provider, events, now, newId }: KeptEvents): Promise<string[]> {
  if (events.length === 0) return [];
  const written = events.map((event) => ({ ...event, key: storedKey(event.key), id: newId() }));
  await row(
    em,
    sql`insert into provider_events (id, project_id, provider, event_key, type, provider_ids, details, body, occurred_at, received_at)
        select e.id, ${projectId}, ${provider}, e.key, e.type, e."providerIds", e.details, e.body, least(e."occurredAt", ${now}), ${now}
        from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as e(
          id uuid, key text, type text, "providerIds" text[], details jsonb, body text, "occurredAt" timestamptz)
        order by e.key
        on conflict (project_id, provider, event_key) do nothing`,
  );
  const keys = [...new Set(written.map(({ key }) => key))];
  const unapplied = await rows(
    em,
    sql<{ id: string }>`
      select id from provider_events
      where project_id = ${projectId} and provider = ${provider} and event_key = any(${keys}::text[]) and applied_at is null
      order by occurred_at`,
  );
  return unapplied.map(({ id }) => id);
}

/** A provider's mark of an event may be longer than a row of an index can be (2,704 bytes). */
function storedKey(key: string): string {
  return Buffer.byteLength(key) <= LONGEST_KEY ? key : `sha256:${sha256(key).toString('hex')}`;
}

/**
 * Applies a kept event once, however many calls try at the same time, and lets go of its body. One about a send that nobody knows stays:
 * the hand-over may be recorded a moment later. Returns whether this call was the one.
 */
export async function applyProviderEvent(
  em: EntityManager,
  id: string,
  { softBounceLimit, now }: { readonly softBounceLimit: number; readonly now: Date },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const event = await row(tx, sql<ProviderEventRow>`select * from provider_events where id = ${id} and applied_at is null for update`);
    if (!event) return false;
    const send = await row(
      tx,
      sql<SendRow>`
        select * from sends where project_id = ${event.project_id} and provider_id = any(${event.provider_ids})
        order by created_at desc limit 1 for update`,
    );
    if (!send) return false;
    const { type, details, occurred_at: occurredAt } = event;
    const earlier = await row(tx, sql`select 1 from provider_events where send_id = ${send.id} and type = ${type} limit 1`);
    await row(
      tx,
      sql`update provider_events set applied_at = ${now}, send_id = ${send.id}, email = ${send.to_email}, body = null where id = ${id}`,
    );
    if (type === 'opened' || type === 'clicked') {
      await recordHit(tx, send, { kind: type, url: details.url, at: occurredAt, isBot: false });
    } else {
      const { bounce } = details;
      await applyReport(tx, send, { status: type, bounce, occurredAt, isFirst: earlier === undefined, softBounceLimit, now });
    }
    return true;
  });
}

/** Kept events that came before their send's hand-over was recorded and can be applied now, or that a crash left over. */
export async function applicableProviderEvents(em: EntityManager, limit: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ id: string }>`
      select e.id from provider_events e
      where e.applied_at is null
        and exists (select 1 from sends s where s.project_id = e.project_id and s.provider_id = any(e.provider_ids))
      order by e.received_at limit ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** Forgets events about sends that nobody knows, and what is so old that no provider tells it again. Returns how many. */
export async function forgetProviderEvents(em: EntityManager, before: { readonly waiting: Date; readonly applied: Date }): Promise<number> {
  const gone = await rows(
    em,
    sql`delete from provider_events
        where (applied_at is null and received_at < ${before.waiting}) or received_at < ${before.applied} returning 1`,
  );
  return gone.length;
}
