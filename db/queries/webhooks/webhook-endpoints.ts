import { sql } from 'kysely';
import { MOST_ENDPOINTS } from '../../../domain/webhooks/endpoint.ts';
import { columnsOf } from '../../columns.ts';
import { DeletedWebhookEndpoint, WebhookEndpoint, type WebhookEndpointRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { row, rows } from '../../rows.ts';
import { signallingDeliveries } from '../operations/outbox.ts';
import { HAS_WORKFLOW } from './burst-or-workflow.ts';

const ENDPOINT = columnsOf(WebhookEndpoint, 'w');

export interface NewEndpoint extends Pick<WebhookEndpointRow, 'id' | 'project_id' | 'url' | 'events' | 'keep_answers'> {
  readonly sealed_secret: Buffer;
}

/** Undefined when the project has MOST_ENDPOINTS, also where several are made at once. */
export async function createEndpoint(tx: EntityManager, endpoint: NewEndpoint): Promise<WebhookEndpointRow | undefined> {
  const { id, project_id, url, events, keep_answers, sealed_secret } = endpoint;
  await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
  return row(
    tx,
    sql<WebhookEndpointRow>`
      insert into webhook_endpoints as w (id, project_id, url, events, keep_answers, sealed_secret)
      select ${id}::uuid, ${project_id}::uuid, ${url}::text, ${events}::text[], ${keep_answers}::boolean, ${sealed_secret}::bytea
      where (select count(*) from webhook_endpoints o where o.project_id = ${project_id}) < ${sql.lit(MOST_ENDPOINTS)}
      returning ${ENDPOINT}`,
  );
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
export async function lockEndpoint(tx: EntityManager, projectId: string, id: string): Promise<WebhookEndpointRow | undefined> {
  return row(
    tx,
    sql<WebhookEndpointRow>`
      select ${ENDPOINT} from webhook_endpoints w where w.id = ${id} and w.project_id = ${projectId} for no key update`,
  );
}

/** What can be changed of an endpoint. */
export type EndpointColumns = Pick<WebhookEndpointRow, 'url' | 'events' | 'enabled' | 'keep_answers'>;

export async function updateEndpoint(
  tx: EntityManager,
  id: string,
  { url, events, enabled, keep_answers }: EndpointColumns,
): Promise<void> {
  await row(
    tx,
    sql`update webhook_endpoints set url = ${url}, events = ${events}::text[], enabled = ${enabled}, keep_answers = ${keep_answers}
        where id = ${id}`,
  );
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
 * From here on nothing more is written or attempted for it: who writes deliveries holds its row, and an attempt asks for it. What it leaves is
 * to be kept by `keepDeleted` and dropped. Undefined when the project has no such endpoint.
 */
export async function removeEndpoint(
  tx: EntityManager,
  projectId: string,
  id: string,
): Promise<Pick<WebhookEndpointRow, 'has_lane'> | undefined> {
  return row(
    tx,
    sql<Pick<WebhookEndpointRow, 'has_lane'>>`
      delete from webhook_endpoints where id = ${id} and project_id = ${projectId} returning has_lane`,
  );
}

/** Has its deliveries dropped by `dropDeliveries` until there are none. */
export async function keepDeleted(tx: EntityManager, id: string): Promise<void> {
  await tx.insert(DeletedWebhookEndpoint, { id });
}

/** Drops some of what deleted endpoints have left, and makes the workflows of those that were pending end. Whether there may be more. */
export async function dropDeliveries(tx: EntityManager): Promise<boolean> {
  const deleted = await row(
    tx,
    sql<{ id: string }>`select id from deleted_webhook_endpoints order by deleted_at limit 1 for update skip locked`,
  );
  if (!deleted) return false;
  if (!(await dropDeliveriesOf(tx, deleted.id))) await tx.nativeDelete(DeletedWebhookEndpoint, { id: deleted.id });
  return true;
}

/** Drops some deliveries of a deleted endpoint, first those that have a workflow. Whether there were any. */
export async function dropDeliveriesOf(tx: EntityManager, endpointId: string): Promise<boolean> {
  const dropped = await row(
    tx,
    sql<{ count: number; messages: number }>`
      with waiting as materialized (
        select d.id from webhook_deliveries d where d.endpoint_id = ${endpointId} and ${HAS_WORKFLOW}
        limit ${sql.lit(DROPPED_AT_ONCE)}
      ), others as materialized (
        select d.id from webhook_deliveries d where d.endpoint_id = ${endpointId} order by d.created_at, d.place limit ${sql.lit(DROPPED_AT_ONCE)}
      ), dropped as (
        delete from webhook_deliveries d where d.id in (select id from waiting union select id from others)
        returning d.id, d.project_id, d.status, d.in_lane
      ), deliveries as materialized (
        select d.id, d.project_id from dropped d where ${HAS_WORKFLOW}
      ), written as (${signallingDeliveries('deliveries')} returning 1)
      select (select count(*) from dropped) as count, (select count(*) from written) as messages`,
  );
  if (dropped && dropped.messages > 0) noteMessages(tx);
  return (dropped?.count ?? 0) > 0;
}
