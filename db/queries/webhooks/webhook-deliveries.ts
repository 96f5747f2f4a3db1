import { type RawBuilder, sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import { CUT_OFF, type DeliveryStatus, MOST_ATTEMPTS, MOST_LOGGED } from '../../../domain/webhooks/delivery.ts';
import { columnsOf } from '../../columns.ts';
import { WebhookDelivery, type WebhookDeliveryRow, type WebhookEndpointRow } from '../../entities/index.ts';
import { isoText } from '../../iso-text.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { row, rows } from '../../rows.ts';
import { signallingDeliveries, startingNow } from '../operations/outbox.ts';
import { HAS_WORKFLOW, IN_BURST } from './burst-or-workflow.ts';

/** A delivery with the event that it tells. */
export interface ShownDelivery extends WebhookDeliveryRow {
  readonly event_type: string;
  readonly event_data: unknown;
  readonly event_at: Date;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  /** Of the event. */
  readonly eventType?: string | undefined;
  /** Made at or after it. */
  readonly from?: Date | undefined;
  /** Made before it. */
  readonly to?: Date | undefined;
  /** The whole id of the delivery or of its event. */
  readonly q?: string | undefined;
}

export interface DeliveriesAsked {
  readonly limit: number;
  readonly filter: DeliveryFilter;
  /** Only those created before the one with this place. */
  readonly before: DeliveryPlace | undefined;
}

/** Where the next page begins. */
export type DeliveryPlace = Pick<WebhookDeliveryRow, 'place' | 'created_at'>;

interface DeliveryPage {
  readonly deliveries: ShownDelivery[];
  /** Where older ones may be; undefined: there are none. */
  readonly next: DeliveryPlace | undefined;
}

const SHOWN = sql`${columnsOf(WebhookDelivery, 'd')}, v.type as event_type, v.data as event_data, v.created_at as event_at`;

/** Types of events that no index has, since each mail has them: migration 0035. */
const OF_EACH_MAIL = ['email.sent', 'email.delivered', 'email.opened'];

/** So many are looked at for such a type, or events for another, which may be of other endpoints: a page may be short, and goes on behind them. */
const MOST_LOOKED_AT = 5_000;

/** So many are looked at for what is common before an index is asked that has what is rare. */
const NEAR = 2_000;

/** Deliveries of an endpoint, the newest first, and where older ones may be. */
export async function listDeliveries(
  em: EntityManager,
  { projectId, endpointId }: { readonly projectId: string; readonly endpointId: string },
  { limit, filter, before }: DeliveriesAsked,
): Promise<DeliveryPage> {
  const { status, eventType } = filter;
  const reach = sql.join([sql`d.endpoint_id = ${endpointId}`, ...conditionsOf(filter, before)], sql` and `);
  const asked = { reach, limit, status, eventType };
  const hasTypeIndex = eventType !== undefined && !OF_EACH_MAIL.includes(eventType);
  if (status === 'pending' || hasTypeIndex) {
    const near = await look(em, asked, pageOf(reach, newest(NEAR), status === 'pending' ? undefined : status), NEAR);
    if (near.isDone) return near;
    if (hasTypeIndex) {
      const ofType = await lookByType(em, asked, { projectId, eventType, filter, before });
      // Whichever has reached further back has all that the other has.
      return ofType.isDone || ofType.next.created_at <= near.next.created_at ? ofType : near;
    }
  }
  if (eventType === undefined) return read(em, asked, pageOf(reach, newest(limit + 1), status));
  return look(em, asked, pageOf(reach, newest(MOST_LOOKED_AT), status), MOST_LOOKED_AT);
}

interface Asked {
  /** Where they are looked for: a condition of the delivery `d`, without status and type. */
  readonly reach: RawBuilder<unknown>;
  readonly limit: number;
  readonly status: DeliveryStatus | undefined;
  readonly eventType: string | undefined;
}

/** A page, which is done when it is full or there are no others; otherwise `next` is where the look has ended. */
type Looked = DeliveryPage & ({ readonly isDone: true } | { readonly isDone: false; readonly next: DeliveryPlace });

/** Reads the CTE `page`, which has the newest within reach, and so many of them at most. */
async function look(em: EntityManager, asked: Asked, page: RawBuilder<unknown>, most: number): Promise<Looked> {
  const found = await read(em, asked, page);
  if (found.next) return { ...found, isDone: true };
  const end = await row(em, sql<DeliveryPlace>`with ${page} select place, created_at from page ${newest(1)} offset ${most - 1}`);
  return end ? { ...found, isDone: false, next: end } : { ...found, isDone: true };
}

/** The newest of the CTE `page` with the status and type that are asked for; `next` is there when it has more of them. */
async function read(em: EntityManager, { limit, status, eventType }: Asked, page: RawBuilder<unknown>): Promise<DeliveryPage> {
  const conditions = [status === undefined ? sql`true` : sql`p.status = ${sql.lit(status)}`];
  // For each by itself, so that the events of others are not read.
  if (eventType !== undefined) conditions.push(sql`(select v.type from webhook_events v where v.id = p.event_id) = ${eventType}`);
  const found = await rows(
    em,
    sql<ShownDelivery>`
      with ${page}, meant as materialized (select id from page p where ${sql.join(conditions, sql` and `)} ${newest(limit + 1)})
      select ${SHOWN} from meant join webhook_deliveries d on d.id = meant.id join webhook_events v on v.id = d.event_id
      order by d.created_at desc, d.place desc`,
  );
  return { deliveries: found.slice(0, limit), next: found.length > limit ? found[limit - 1] : undefined };
}

interface AskedByType extends Pick<DeliveriesAsked, 'filter' | 'before'> {
  readonly projectId: string;
  readonly eventType: string;
}

/** The same by the index of the events with a type; an event and its deliveries are made in one instant. */
async function lookByType(em: EntityManager, asked: Asked, { projectId, eventType, filter, before }: AskedByType): Promise<Looked> {
  const { from, to } = filter;
  const conditions = [
    sql`v.project_id = ${projectId} and v.type = ${eventType} and v.type not in (${sql.join(OF_EACH_MAIL.map((type) => sql.lit(type)))})`,
  ];
  if (from) conditions.push(sql`v.created_at >= ${from}`);
  if (before) conditions.push(sql`v.created_at <= ${before.created_at}`);
  else if (to) conditions.push(sql`v.created_at < ${to}`);
  // An instant is looked at as a whole, however much happened in it.
  const happened = sql`happened as materialized (
    select v.id, v.created_at from webhook_events v where ${sql.join(conditions, sql` and `)}
    order by v.created_at desc fetch first ${sql.lit(MOST_LOOKED_AT)} rows with ties)`;
  // All of an event are few: without statistics the planner would look through all of the endpoint for each event.
  const page = sql`${happened}, page as materialized (
    select ${PLACED} from happened h cross join lateral (
      select d.* from webhook_deliveries d where d.event_id = h.id offset 0) d where ${asked.reach})`;
  const found = await read(em, { ...asked, eventType: undefined }, page);
  if (found.next) return { ...found, isDone: true };
  const end = await row(
    em,
    sql<Pick<DeliveryPlace, 'created_at'>>`
      with ${happened} select min(created_at) as created_at from happened having count(*) >= ${sql.lit(MOST_LOOKED_AT)}`,
  );
  return end ? { ...found, isDone: false, next: { ...end, place: 0 } } : { ...found, isDone: true };
}

function newest(limit: number): RawBuilder<unknown> {
  return sql`order by created_at desc, place desc limit ${limit}`;
}

/** But for the status and the type of event. */
function conditionsOf({ from, to, q }: DeliveryFilter, before: DeliveryPlace | undefined): RawBuilder<unknown>[] {
  const conditions = [];
  if (from) conditions.push(sql`d.created_at >= ${from}`);
  // The instant by itself too: the planner takes it with `from` as a range, and knows how little that is.
  if (before)
    conditions.push(sql`d.created_at <= ${before.created_at} and (d.created_at, d.place) < (${before.created_at}, ${before.place})`);
  else if (to) conditions.push(sql`d.created_at < ${to}`);
  if (q !== undefined) conditions.push(isUuid(q) ? sql`(d.id = ${q} or d.event_id = ${q})` : sql`false`);
  return conditions;
}

const PLACED = sql`d.id, d.place, d.event_id, d.status, d.created_at`;

/** What is rare among very many is found by the index that holds nothing else. */
function pageOf(reach: RawBuilder<unknown>, first: RawBuilder<unknown>, status: DeliveryStatus | undefined): RawBuilder<unknown> {
  if (status !== 'pending') {
    const ofStatus = status === undefined ? sql`true` : sql`d.status = ${sql.lit(status)}`;
    return sql`page as materialized (select ${PLACED} from webhook_deliveries d where ${reach} and ${ofStatus} ${first})`;
  }
  return sql`
    with_workflow as materialized (
      select ${PLACED} from webhook_deliveries d where ${reach} and ${HAS_WORKFLOW}
    ), in_burst as materialized (
      select ${PLACED} from webhook_deliveries d where ${reach} and ${IN_BURST}
    ), page as materialized (
      select * from (select * from with_workflow union all select * from in_burst) pending ${first}
    )`;
}

/** How an attempt of which nobody knows the end is logged, but for which it was and when. */
const CUT_OFF_ENTRY = sql`jsonb_build_object('status', null, 'error', ${sql.lit(CUT_OFF.error)}, 'milliseconds', null)`;

/** Leaves room for another series. */
const LATEST_LOGGED = sql.lit(`$[last - ${MOST_LOGGED - MOST_ATTEMPTS - 1} to last]`);

export async function findDelivery(em: EntityManager, endpointId: string, id: string): Promise<ShownDelivery | undefined> {
  return row(
    em,
    sql<ShownDelivery>`
      select ${SHOWN} from webhook_deliveries d join webhook_events v on v.id = d.event_id
      where d.id = ${id} and d.endpoint_id = ${endpointId}`,
  );
}

/**
 * Makes a settled delivery pending again, with another series of attempts. One that is in flight, or that a killed process has left, counts in the
 * series before as cut off, so that the new one has all of its attempts; should it come through, its delivery is delivered all the same. False
 * when the delivery is not settled, as for the second of two calls at once, or the endpoint has no such delivery.
 */
export async function reopenDelivery(tx: EntityManager, endpointId: string, id: string): Promise<boolean> {
  const restarted = await row(
    tx,
    sql`with ${reopening(sql`d.id = ${id} and d.endpoint_id = ${endpointId} and d.status <> 'pending'`)}
        select 1 from reopened`,
  );
  return restarted !== undefined;
}

/**
 * The CTEs that do this with the deliveries `d` that match: `meant` has all of them, with `id`, `created_at` and `place`, `reopened` those that were
 * begun again. `retryId`: of the retry of all that failed that begins them, which leaves them to the burst of their endpoint. What is kept of answers
 * goes with the log of their attempts.
 */
export function reopening(which: RawBuilder<unknown>, retryId?: string): RawBuilder<unknown> {
  const retriedBy = retryId === undefined ? sql`` : sql`retried_by = ${retryId},`;
  return sql`
    meant as materialized (
      select d.id, d.created_at, d.place from webhook_deliveries d where ${which} for update of d
    ), held as (
      delete from webhook_attempts a using meant m where a.delivery_id = m.id returning a.delivery_id, a.begun_at
    ), cut_off as materialized (
      select m.id, case when h.delivery_id is not null then ${CUT_OFF_ENTRY} || jsonb_build_object('at', ${isoText(sql`h.begun_at`)}) end as entry
      from meant m left join held h on h.delivery_id = m.id
    ), reopened as (
      update webhook_deliveries d set status = 'pending', in_lane = ${sql.lit(retryId !== undefined)}, ${retriedBy} series = d.series + 1, attempts = 0,
        response_status = null, next_attempt_at = now(),
        attempt_log = jsonb_path_query_array(
          case when c.entry is null then d.attempt_log
               else d.attempt_log || (jsonb_build_object('series', d.series, 'number', d.attempts + 1) || c.entry) end, ${LATEST_LOGGED})
      from cut_off c where d.id = c.id returning d.id, (d.attempt_log -> 0 ->> 'at')::timestamptz as logged_from
    ), trimmed as (
      delete from webhook_answers a using reopened r where a.delivery_id = r.id and a.at < r.logged_from
    )`;
}

/**
 * The statement that has the next attempts of these deliveries `d` planned for now, and tells their workflows; it gives how many. An attempt
 * that begins meanwhile is the one that was asked for: its workflow finds nothing due after it. What is locked is just being ended.
 */
function retryingNow(endpointId: string, which: RawBuilder<unknown>): RawBuilder<{ count: number }> {
  return sql<{ count: number }>`
    with chosen as materialized (
      select d.id from webhook_deliveries d
      where d.endpoint_id = ${endpointId} and ${HAS_WORKFLOW}
        and not exists (select 1 from webhook_attempts a where a.delivery_id = d.id) and ${which} for update of d skip locked
    ), due_now as (
      update webhook_deliveries d set next_attempt_at = least(d.next_attempt_at, now()) from chosen c where d.id = c.id
      returning d.id, d.project_id
    ), started as (
      ${startingNow('due_now')}
    ), written as (
      ${signallingDeliveries('due_now')}
    )
    select count(*) as count from due_now`;
}

async function retryNow(tx: EntityManager, endpointId: string, which: RawBuilder<unknown>): Promise<number> {
  const { count } = (await row(tx, retryingNow(endpointId, which))) ?? { count: 0 };
  if (count > 0) noteMessages(tx);
  return count;
}

/**
 * Has the next attempt of a pending delivery made now, unless one is being made, its first is in line, or its endpoint is disabled. Whether it
 * did, and the delivery as it is after that. Undefined when the endpoint has no such delivery.
 */
export async function retryDeliveryNow(
  tx: EntityManager,
  endpoint: Pick<WebhookEndpointRow, 'id' | 'enabled'>,
  id: string,
): Promise<{ readonly isRetriedNow: boolean; readonly delivery: ShownDelivery } | undefined> {
  const isRetriedNow = endpoint.enabled && (await retryNow(tx, endpoint.id, sql`d.id = ${id}`)) > 0;
  const delivery = await findDelivery(tx, endpoint.id, id);
  return delivery && { isRetriedNow, delivery };
}

/** Deliveries `d` whose next attempt is planned for later. */
const PLANNED = sql`d.next_attempt_at > now()`;

/** The same for those of an endpoint whose next attempt is planned for later, the oldest first and so many at most. Returns how many. */
export async function retryWaitingNow(tx: EntityManager, endpointId: string, limit: number): Promise<number> {
  return retryNow(tx, endpointId, sql`${PLANNED} order by d.place limit ${limit}`);
}

/** How many of an endpoint have their next attempt planned for later, and no more than so many. */
export async function countWaiting(em: EntityManager, endpointId: string, most: number): Promise<number> {
  const counted = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from (
        select 1 from webhook_deliveries d where d.endpoint_id = ${endpointId} and ${HAS_WORKFLOW} and ${PLANNED} limit ${most}) waiting`,
  );
  return counted?.count ?? 0;
}
