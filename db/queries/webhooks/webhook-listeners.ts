import { sql } from 'kysely';
import type { AttemptRecord } from '../../../domain/webhooks/delivery.ts';
import { HANDED_OUT_SECONDS, LISTENER_SECONDS, MOST_ANSWERED, MOST_LISTENERS } from '../../../domain/webhooks/listener.ts';
import { columnsOf } from '../../columns.ts';
import { WebhookListener, type WebhookListenerRow } from '../../entities/index.ts';
import { isoText } from '../../iso-text.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

const LISTENER = columnsOf(WebhookListener, 'l');

/** A listener `l` by whom somebody asks. */
export const IS_HEARD = sql.raw(`l.heard_at > now() - interval '${LISTENER_SECONDS} seconds'`);

/** Undefined when the project has MOST_LISTENERS, also where several are made at once. Those that are over make room. */
export async function createListener(
  tx: EntityManager,
  { id, project_id, events, sealed_secret }: Pick<WebhookListenerRow, 'id' | 'project_id' | 'events'> & { readonly sealed_secret: Buffer },
): Promise<WebhookListenerRow | undefined> {
  await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
  await row(tx, sql`delete from webhook_listeners l where l.project_id = ${project_id} and not (${IS_HEARD})`);
  return row(
    tx,
    sql<WebhookListenerRow>`
      insert into webhook_listeners as l (id, project_id, events, sealed_secret)
      select ${id}::uuid, ${project_id}::uuid, ${events}::text[], ${sealed_secret}::bytea
      where (select count(*) from webhook_listeners o where o.project_id = ${project_id}) < ${sql.lit(MOST_LISTENERS)}
      returning ${LISTENER}`,
  );
}

export async function findListener(em: EntityManager, projectId: string, id: string): Promise<WebhookListenerRow | undefined> {
  return row(em, sql<WebhookListenerRow>`select ${LISTENER} from webhook_listeners l where l.id = ${id} and l.project_id = ${projectId}`);
}

/** That somebody asks. Written now and then: what happens must not wait for it. */
export async function noteHeard(em: EntityManager, id: string): Promise<void> {
  await row(
    em,
    sql`update webhook_listeners l set heard_at = now() where l.id = ${id} and l.heard_at < now() - interval '${sql.raw(String(LISTENER_SECONDS / 12))} seconds'`,
  );
}

/** Takes what waits for it with it. Whether there was one. */
export async function deleteListener(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  const gone = await row(em, sql`delete from webhook_listeners where id = ${id} and project_id = ${projectId} returning 1`);
  return gone !== undefined;
}

/** An event that is handed out. */
export interface HandedOut {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly event_data: unknown;
  readonly event_at: Date;
}

/** The oldest that nobody else has just now, each to be told as done within a while. */
export async function handOut(em: EntityManager, listenerId: string, limit: number): Promise<HandedOut[]> {
  return rows(
    em,
    sql<HandedOut>`
      with next as materialized (
        select d.id from listener_deliveries d
        where d.listener_id = ${listenerId} and d.attempt is null and (d.handed_out_until is null or d.handed_out_until < now())
        order by d.place limit ${limit} for update skip locked
      ), taken as (
        update listener_deliveries d set handed_out_until = now() + interval '${sql.raw(String(HANDED_OUT_SECONDS))} seconds'
        from next where d.id = next.id returning d.id, d.place, d.event_id
      )
      select t.id, v.id as event_id, v.type as event_type, v.data as event_data, v.created_at as event_at
      from taken t join webhook_events v on v.id = t.event_id order by t.place`,
  );
}

/** Drops what is done and was not answered; what is another listener's stays. */
export async function dropDone(em: EntityManager, listenerId: string, ids: readonly string[]): Promise<void> {
  await row(em, sql`delete from listener_deliveries where listener_id = ${listenerId} and id = any(${ids}::uuid[]) and attempt is null`);
}

/** What a receiver answered to an event. */
export interface ReceiverAnswer extends Pick<AttemptRecord, 'status' | 'error' | 'milliseconds'> {
  readonly id: string;
}

/** Keeps what was answered, the first answer to each, which is handed out no more. Beyond MOST_ANSWERED the oldest go. */
export async function keepAnswers(em: EntityManager, listenerId: string, answers: readonly ReceiverAnswer[]): Promise<void> {
  await row(
    em,
    sql`
      update listener_deliveries d set
        attempt = jsonb_build_object('series', 1, 'number', 1, 'at', ${isoText(sql`(now() - make_interval(secs => coalesce(r.milliseconds, 0) / 1000.0))`)},
                                     'status', r.status, 'error', r.error, 'milliseconds', r.milliseconds),
        -- Processes of the version before look at this alone.
        handed_out_until = 'infinity'
      from json_to_recordset(${JSON.stringify(answers)}::json) as r(id uuid, status smallint, error text, milliseconds integer)
      where d.id = r.id and d.listener_id = ${listenerId} and d.attempt is null`,
  );
  await row(
    em,
    sql`
      delete from listener_deliveries where listener_id = ${listenerId} and attempt is not null and place <= (
        select d.place from listener_deliveries d where d.listener_id = ${listenerId} and d.attempt is not null
        order by d.place desc offset ${sql.lit(MOST_ANSWERED)} limit 1)`,
  );
}

/** An event for a listener, as it is shown. */
export interface ListenerDeliveryRow extends HandedOut {
  readonly created_at: Date;
  readonly attempt: AttemptRecord | null;
}

/** What waits and what was answered, the newest first. */
export async function listListenerDeliveries(em: EntityManager, listenerId: string, limit: number): Promise<ListenerDeliveryRow[]> {
  return rows(
    em,
    sql<ListenerDeliveryRow>`
      select d.id, d.created_at, d.attempt, v.id as event_id, v.type as event_type, v.data as event_data, v.created_at as event_at
      from listener_deliveries d join webhook_events v on v.id = d.event_id
      where d.listener_id = ${listenerId} order by d.place desc limit ${limit}`,
  );
}
