import { type RawBuilder, sql } from 'kysely';
import { Refusal } from '../../domain/errors.ts';
import { type DeliveryStatus, MOST_ATTEMPTS, MOST_LOGGED } from '../../domain/webhook/delivery.ts';
import { columnsOf } from '../columns.ts';
import { WebhookDelivery, type WebhookDeliveryRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { deliveryStart, enqueue } from './outbox.ts';

/** A delivery with the event that it tells. */
export interface ShownDelivery extends WebhookDeliveryRow {
  readonly event_type: string;
  readonly event_data: unknown;
  readonly event_at: Date;
}

export interface DeliveriesAsked {
  readonly limit: number;
  readonly status?: DeliveryStatus | undefined;
  /** Only those created before the one with this place. */
  readonly before: number | undefined;
}

const SHOWN = sql`${columnsOf(WebhookDelivery, 'd')}, v.type as event_type, v.data as event_data, v.created_at as event_at`;

/** Deliveries of an endpoint, the newest first, and whether there are older ones. */
export async function listDeliveries(
  em: EntityManager,
  endpointId: string,
  { limit, status, before }: DeliveriesAsked,
): Promise<{ readonly deliveries: ShownDelivery[]; readonly hasMore: boolean }> {
  const reach = sql`d.endpoint_id = ${endpointId} and ${before === undefined ? sql`true` : sql`d.place < ${before}`}`;
  const newest = sql`order by place desc limit ${limit + 1}`;
  const found = await rows(
    em,
    sql<ShownDelivery>`
      with ${pageOf(reach, newest, status)}
      select ${SHOWN} from page join webhook_deliveries d on d.id = page.id join webhook_events v on v.id = d.event_id order by d.place desc`,
  );
  return { deliveries: found.slice(0, limit), hasMore: found.length > limit };
}

/** What is rare among very many is found by the index that holds nothing else. */
function pageOf(reach: RawBuilder<unknown>, newest: RawBuilder<unknown>, status: DeliveryStatus | undefined): RawBuilder<unknown> {
  if (status !== 'pending') {
    const ofStatus = status === undefined ? sql`true` : sql`d.status = ${sql.lit(status)}`;
    return sql`page as materialized (select d.id from webhook_deliveries d where ${reach} and ${ofStatus} ${newest})`;
  }
  return sql`
    with_workflow as materialized (
      select d.id, d.place from webhook_deliveries d where ${reach} and d.status = 'pending' and not d.in_lane
    ), in_lane as materialized (
      select d.id, d.place from webhook_deliveries d where ${reach} and d.in_lane ${newest}
    ), page as materialized (
      select id from (select * from with_workflow union all select * from in_lane) pending ${newest}
    )`;
}

/** Leaves room for another series. */
const LATEST_LOGGED = sql.lit(`$[last - ${MOST_LOGGED - MOST_ATTEMPTS - 1} to last]`);

async function findDelivery(em: EntityManager, endpointId: string, id: string): Promise<ShownDelivery | undefined> {
  return row(
    em,
    sql<ShownDelivery>`
      select ${SHOWN} from webhook_deliveries d join webhook_events v on v.id = d.event_id
      where d.id = ${id} and d.endpoint_id = ${endpointId}`,
  );
}

/**
 * Begins another series of attempts of a settled delivery. Throws delivery_pending when it is not settled, as for the second of two calls
 * at once. Undefined when the endpoint has no such delivery.
 */
export async function retryDelivery(
  tx: EntityManager,
  { projectId, endpointId, id }: { readonly projectId: string; readonly endpointId: string; readonly id: string },
): Promise<ShownDelivery | undefined> {
  const restarted = await row(
    tx,
    sql`update webhook_deliveries set status = 'pending', series = series + 1, attempts = 0, response_status = null, next_attempt_at = now(),
          attempt_log = jsonb_path_query_array(attempt_log, ${LATEST_LOGGED})
        where id = ${id} and endpoint_id = ${endpointId} and status <> 'pending' returning 1`,
  );
  const delivery = await findDelivery(tx, endpointId, id);
  if (delivery && !restarted) throw new Refusal('delivery_pending', 'this delivery is not settled yet');
  if (delivery) await enqueue(tx, projectId, [deliveryStart(id)]);
  return delivery;
}
