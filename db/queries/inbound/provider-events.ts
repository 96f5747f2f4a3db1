import { type RawBuilder, sql } from 'kysely';
import { readMailbox } from '../../../domain/contacts/mailbox.ts';
import type { ReportedEvent } from '../../../domain/inbound/event.ts';
import { sha256 } from '../../../domain/projects/crypto.ts';
import { ProviderEvent, type ProviderEventRow, type SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { anyOf, tables } from '../../tables.ts';
import { IS_UNKNOWN } from '../sends/send-outcomes.ts';

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
  const written = events.map((event) => ({
    ...event,
    email: event.email && readMailbox(event.email)?.email,
    key: storedKey(event.key),
    id: newId(),
  }));
  await row(
    em,
    sql`insert into provider_events (id, project_id, provider, event_key, type, provider_ids, reported_send_id, details, email, body, occurred_at, received_at, look_at)
        select e.id, ${projectId}, ${provider}, e.key, e.type, e."providerIds", e."sendId", e.details, e.email, e.body, least(e."occurredAt", ${now}), ${now}, ${now}
        from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as e(
          id uuid, key text, type text, "providerIds" text[], "sendId" uuid, details jsonb, email text, body text, "occurredAt" timestamptz)
        order by e.key
        on conflict (project_id, provider, event_key) do nothing`,
  );
  const keys = [...new Set(written.map(({ key }) => key))];
  const ofProvider = tables(em).selectFrom('provider_events').where('project_id', '=', projectId).where('provider', '=', provider);
  const kept = ofProvider.where('event_key', '=', anyOf(keys)).where('applied_at', 'is', null);
  const unapplied = await kept.select('id').orderBy('occurred_at').execute();
  return unapplied.map(({ id }) => id);
}

/** A provider's mark of an event may be longer than a row of an index can be (2,704 bytes). */
function storedKey(key: string): string {
  return Buffer.byteLength(key) <= LONGEST_KEY ? key : `sha256:${sha256(key).toString('hex')}`;
}

/** How many of these events are about mails of the project that are known by now. */
export async function countMatched(em: EntityManager, projectId: string, events: readonly ReportedEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const asked = JSON.stringify(events.map(({ providerIds, sendId }) => ({ provider_ids: providerIds, reported_send_id: sendId })));
  const found = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from jsonb_to_recordset(${asked}::jsonb) as e(provider_ids text[], reported_send_id uuid)
      where ${isKnown(sql`${projectId}::uuid`)}`,
  );
  return found?.count ?? 0;
}

/** Whether it left, or may have: a report about it says so. */
const MAY_HAVE_LEFT = sql`(s.status = 'sent' or ${IS_UNKNOWN})`;

/** Whether the send that the event `e` is about is known: one that no provider has taken so far has no id of it. */
function isKnown(projectId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(exists (select 1 from sends s where s.project_id = ${projectId} and s.provider_id = any(e.provider_ids))
    or exists (select 1 from sends s where s.id = e.reported_send_id and s.project_id = ${projectId} and ${MAY_HAVE_LEFT}))`;
}

/** Whose mail a send is; undefined: it is not known any more. */
export async function projectOfSend(em: EntityManager, sendId: string): Promise<string | undefined> {
  const send = await tables(em).selectFrom('sends').select('project_id').where('id', '=', sendId).executeTakeFirst();
  return send?.project_id;
}

/** A kept event that is not applied yet, with its row locked. */
export async function lockUnapplied(tx: EntityManager, id: string): Promise<ProviderEventRow | undefined> {
  return row(tx, sql<ProviderEventRow>`select * from provider_events where id = ${id} and applied_at is null for update`);
}

/** The send that the event is about, with its row locked; undefined while nobody knows it. */
export async function lockReportedSend(tx: EntityManager, event: ProviderEventRow): Promise<SendRow | undefined> {
  return row(
    tx,
    sql<SendRow>`
      select * from sends s where project_id = ${event.project_id} and ${
        event.reported_send_id === null
          ? sql`provider_id = any(${event.provider_ids})`
          : sql`id = ${event.reported_send_id} and ${MAY_HAVE_LEFT}`
      }
      order by created_at desc limit 1 for update`,
  );
}

/** Whether an event of this type was applied to the send before; of a mail with copies, one about this address. */
export async function hasReported(tx: EntityManager, sendId: string, type: ProviderEventRow['type'], about?: string): Promise<boolean> {
  const reported = tables(tx).selectFrom('provider_events').select('id').where('send_id', '=', sendId).where('type', '=', type).limit(1);
  const same = about === undefined ? reported : reported.where('email', '=', about);
  return (await same.executeTakeFirst()) !== undefined;
}

/** Lets go of the event's body, and of an erased contact's link. */
export async function markApplied(
  tx: EntityManager,
  { id, details }: Pick<ProviderEventRow, 'id' | 'details'>,
  { id: sendId, to_email: email }: Pick<SendRow, 'id' | 'to_email'>,
  now: Date,
): Promise<void> {
  const { url: _, ...shown } = details;
  const told = email === '' ? { email: null, details: shown } : { email };
  await tx.nativeUpdate(ProviderEvent, { id }, { applied_at: now, send_id: sendId, body: null, ...told });
}

/** The first pause before an event about a send that nobody knows is tried again; from then on it doubles. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;

export interface UnappliedEvent extends Pick<ProviderEventRow, 'id'> {
  /** Whether its send is known by now. */
  readonly applicable: boolean;
}

/**
 * Kept events whose turn it is to be looked at: those that came before their send's submission was recorded, that a crash left over, or
 * that are about mail of others. Each is put off by as long as it has waited, so that those of others cost next to nothing.
 */
export async function takeUnapplied(em: EntityManager, now: Date, limit: number): Promise<UnappliedEvent[]> {
  return rows(
    em,
    sql<UnappliedEvent>`
      with due as (
        select id from provider_events where applied_at is null and look_at <= ${now} order by look_at limit ${limit} for update skip locked
      )
      update provider_events e set look_at = ${now}::timestamptz
        + least(greatest(${now}::timestamptz - e.received_at, make_interval(secs => ${FIRST_PAUSE_MS / 1000})), make_interval(secs => ${LONGEST_PAUSE_MS / 1000}))
      from due where e.id = due.id
      returning e.id, ${isKnown(sql`e.project_id`)} as applicable`,
  );
}
