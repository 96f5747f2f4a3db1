import { sql } from 'kysely';
import { Refusal } from '../../../domain/errors.ts';
import { MOST_ENDPOINTS } from '../../../domain/webhooks/endpoint.ts';
import { columnsOf } from '../../columns.ts';
import { DeletedWebhookEndpoint, WebhookEndpoint, type WebhookEndpointRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { row, rows } from '../../rows.ts';
import { wakeLane, wakingDeliveries } from '../operations/outbox.ts';

const ENDPOINT = columnsOf(WebhookEndpoint, 'w');

export interface NewEndpoint extends Pick<WebhookEndpointRow, 'id' | 'project_id' | 'url' | 'events'> {
  readonly sealed_secret: Buffer;
}

/** Throws too_many_webhooks when the project has as many as it may, also where several are made at once. */
export async function createEndpoint(tx: EntityManager, endpoint: NewEndpoint): Promise<WebhookEndpointRow> {
  const { id, project_id, url, events, sealed_secret } = endpoint;
  await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
  const created = await row(
    tx,
    sql<WebhookEndpointRow>`
      insert into webhook_endpoints as w (id, project_id, url, events, sealed_secret)
      select ${id}::uuid, ${project_id}::uuid, ${url}::text, ${events}::text[], ${sealed_secret}::bytea
      where (select count(*) from webhook_endpoints o where o.project_id = ${project_id}) < ${sql.lit(MOST_ENDPOINTS)}
      returning ${ENDPOINT}`,
  );
  if (!created) throw new Refusal('too_many_webhooks', `a project has at most ${MOST_ENDPOINTS} webhook endpoints`);
  return created;
}

/** The newest first. */
export async function listEndpoints(em: EntityManager, projectId: string): Promise<WebhookEndpointRow[]> {
  return rows(
    em,
    sql<WebhookEndpointRow>`
      select ${ENDPOINT} from webhook_endpoints w where w.project_id = ${projectId} order by w.created_at desc, w.id desc`,
  );
}

export async function findEndpoint(em: EntityManager, projectId: string, id: string): Promise<WebhookEndpointRow | undefined> {
  return row(em, sql<WebhookEndpointRow>`select ${ENDPOINT} from webhook_endpoints w where w.id = ${id} and w.project_id = ${projectId}`);
}

/** With its row locked against other changes of it; what is emitted meanwhile goes on. */
async function lockEndpoint(tx: EntityManager, projectId: string, id: string): Promise<WebhookEndpointRow | undefined> {
  return row(
    tx,
    sql<WebhookEndpointRow>`
      select ${ENDPOINT} from webhook_endpoints w where w.id = ${id} and w.project_id = ${projectId} for no key update`,
  );
}

export type EndpointChange = Partial<Pick<WebhookEndpointRow, 'url' | 'events' | 'enabled'>>;

/** Only what is given changes. What was held goes on when it is enabled. Undefined when the project has no such endpoint. */
export async function changeEndpoint(
  tx: EntityManager,
  projectId: string,
  id: string,
  change: EndpointChange,
): Promise<WebhookEndpointRow | undefined> {
  const before = await lockEndpoint(tx, projectId, id);
  if (!before) return undefined;
  const after = { ...before, ...change };
  await row(
    tx,
    sql`update webhook_endpoints set url = ${after.url}, events = ${after.events}::text[], enabled = ${after.enabled} where id = ${id}`,
  );
  if (after.enabled && !before.enabled) {
    await wakeHeldDeliveries(tx, id);
    if (before.has_lane) await wakeLane(tx, projectId, id);
  }
  return after;
}

/** An attempt that finds its endpoint disabled holds only after `isEndpointEnabled`, so that it is seen here or sees the change. */
async function wakeHeldDeliveries(tx: EntityManager, endpointId: string): Promise<void> {
  const woken = await row(
    tx,
    sql<{ count: number }>`
      with deliveries as materialized (
        select d.id, d.project_id from webhook_deliveries d where d.endpoint_id = ${endpointId} and d.status = 'pending' and not d.in_lane
      ), written as (${wakingDeliveries('deliveries')} returning 1)
      select count(*) as count from written`,
  );
  if (woken && woken.count > 0) noteMessages(tx);
}

/** Whether it may be called, after whatever change of it is under way; undefined when there is no such endpoint. */
export async function isEndpointEnabled(em: EntityManager, id: string): Promise<boolean | undefined> {
  const found = await row(em, sql<Pick<WebhookEndpointRow, 'enabled'>>`select enabled from webhook_endpoints where id = ${id} for share`);
  return found?.enabled;
}

/** The new secret signs from now on; until `previousUntil` the one before it does, too. Undefined when the project has no such endpoint. */
export async function rotateSecret(
  tx: EntityManager,
  projectId: string,
  id: string,
  { sealed, previousUntil }: { readonly sealed: Buffer; readonly previousUntil: Date | null },
): Promise<WebhookEndpointRow | undefined> {
  return row(
    tx,
    sql<WebhookEndpointRow>`
      update webhook_endpoints w set sealed_secret = ${sealed}::bytea, previous_secret_until = ${previousUntil}::timestamptz,
        sealed_previous_secret = case when ${previousUntil}::timestamptz is null then null else w.sealed_secret end
      where w.id = ${id} and w.project_id = ${projectId} returning ${ENDPOINT}`,
  );
}

/** So many deliveries of a deleted endpoint are dropped by one statement. */
const DROPPED_AT_ONCE = 2_000;

/**
 * From here on nothing more is written or attempted for it: who writes deliveries holds its row, and an attempt asks for it. Of the
 * deliveries the first are dropped here, the others by `dropDeliveries`. Whether there was one.
 */
export async function deleteEndpoint(tx: EntityManager, projectId: string, id: string): Promise<boolean> {
  const deleted = await row(
    tx,
    sql<Pick<WebhookEndpointRow, 'has_lane'>>`
      delete from webhook_endpoints where id = ${id} and project_id = ${projectId} returning has_lane`,
  );
  if (!deleted) return false;
  if (deleted.has_lane) await wakeLane(tx, projectId, id);
  await tx.insert(DeletedWebhookEndpoint, { id });
  await dropSome(tx, id);
  return true;
}

/** Drops some of what deleted endpoints have left, and makes the workflows of those that were pending end. Whether there may be more. */
export async function dropDeliveries(tx: EntityManager): Promise<boolean> {
  const deleted = await row(
    tx,
    sql<{ id: string }>`select id from deleted_webhook_endpoints order by deleted_at limit 1 for update skip locked`,
  );
  if (!deleted) return false;
  if (!(await dropSome(tx, deleted.id))) await tx.nativeDelete(DeletedWebhookEndpoint, { id: deleted.id });
  return true;
}

/** First those that have a workflow. Whether there were any. */
async function dropSome(tx: EntityManager, endpointId: string): Promise<boolean> {
  const dropped = await row(
    tx,
    sql<{ count: number; messages: number }>`
      with waiting as materialized (
        select d.id from webhook_deliveries d where d.endpoint_id = ${endpointId} and d.status = 'pending' and not d.in_lane
        limit ${sql.lit(DROPPED_AT_ONCE)}
      ), others as materialized (
        select d.id from webhook_deliveries d where d.endpoint_id = ${endpointId} order by d.created_at, d.place limit ${sql.lit(DROPPED_AT_ONCE)}
      ), dropped as (
        delete from webhook_deliveries d where d.id in (select id from waiting union select id from others)
        returning d.id, d.project_id, d.status, d.in_lane
      ), deliveries as materialized (
        select id, project_id from dropped where status = 'pending' and not in_lane
      ), written as (${wakingDeliveries('deliveries')} returning 1)
      select (select count(*) from dropped) as count, (select count(*) from written) as messages`,
  );
  if (dropped && dropped.messages > 0) noteMessages(tx);
  return (dropped?.count ?? 0) > 0;
}
