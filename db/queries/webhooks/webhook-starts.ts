import { sql } from 'kysely';
import type { ProjectRow, WebhookDeliveryRow, WebhookEndpointRow, WebhookEventRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { preparedRows, row, rows } from '../../rows.ts';
import { hasNoStart, startingBursts, startingWhenDue, workflowIdOf } from '../operations/outbox.ts';
import { AGAINST_DELIVERIES, AGAINST_ITS_END, HAS_WAITING, HAS_WORKFLOW, IN_BURST, NEEDS_BURST } from './burst-or-workflow.ts';

/** What a delivery's workflow is started with. */
export interface DeliveryStart
  extends Pick<WebhookDeliveryRow, 'id' | 'endpoint_id' | 'project_id' | 'attempts'>,
    Pick<WebhookEndpointRow, 'url'> {
  readonly projectSlug: ProjectRow['slug'];
  readonly eventType: WebhookEventRow['type'];
}

/** Of those that are there; with its endpoint a delivery may be gone. */
export async function deliveryStarts(em: EntityManager, ids: readonly string[]): Promise<DeliveryStart[]> {
  if (ids.length === 0) return [];
  return preparedRows(
    em,
    sql<DeliveryStart>`
      select d.id, d.endpoint_id, d.project_id, d.attempts, w.url, p.slug as "projectSlug", v.type as "eventType"
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id join webhook_events v on v.id = d.event_id
      join projects p on p.id = d.project_id where d.id = any(${ids}::uuid[])`,
  );
}

/** What an endpoint's burst is started with. */
export interface BurstStart extends Pick<WebhookEndpointRow, 'id' | 'url'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function burstStarts(em: EntityManager, endpointIds: readonly string[]): Promise<BurstStart[]> {
  if (endpointIds.length === 0) return [];
  return rows(
    em,
    sql<BurstStart>`
      select w.id, w.url, p.slug as "projectSlug" from webhook_endpoints w join projects p on p.id = w.project_id
      where w.id = any(${endpointIds}::uuid[])`,
  );
}

/** Open deliveries after this one (null: from the first), in order of their ids. */
export async function batchOfOpenDeliveries(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<WebhookDeliveryRow, 'id'>>`
      select d.id from webhook_deliveries d where ${HAS_WORKFLOW} and d.id > ${after ?? LOWEST_ID}::uuid
      order by d.id limit ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** Which of these are open. */
export async function openDeliveries(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<WebhookDeliveryRow, 'id'>>`select d.id from webhook_deliveries d where d.id = any(${ids}::uuid[]) and ${HAS_WORKFLOW}`,
  );
  return found.map(({ id }) => id);
}

/** Starts the workflows of those that are open; whose start is on its way already is passed over. Returns how many. */
export async function restartDeliveries(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const started = await rows(
    tx,
    sql`${startingWhenDue(
      sql`select d.id, d.project_id, now() as due_at from webhook_deliveries d where d.id = any(${ids}::uuid[]) and ${HAS_WORKFLOW}
            and ${hasNoStart(workflowIdOf('webhookDelivery', 'd.id'))}`,
    )} returning 1`,
  );
  if (started.length > 0) noteMessages(tx);
  return started.length;
}

/**
 * Leaves the attempts of these deliveries that are due to the bursts of their endpoints, instead of workflows whose start is on its way. Returns
 * which it has left; of the others the workflow is the one to look.
 */
export async function leaveToBursts(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const left = await rows(
    em,
    sql<Pick<WebhookDeliveryRow, 'id'>>`
      with endpoints as materialized (
        select w.id, w.project_id, w.has_lane from webhook_endpoints w
        where w.id in (select d.endpoint_id from webhook_deliveries d where d.id = any(${ids}::uuid[])) order by w.id ${AGAINST_ITS_END}
      ), joined as (
        update webhook_deliveries d set in_lane = true from endpoints w
        where d.id = any(${ids}::uuid[]) and d.endpoint_id = w.id and ${HAS_WORKFLOW} and d.next_attempt_at <= now()
          and not exists (select 1 from webhook_attempts a where a.delivery_id = d.id)
        returning d.id, d.endpoint_id
      ), dropped as (
        delete from outbox o using joined d where o.workflow_id = ${workflowIdOf('webhookDelivery', 'd.id')} and o.message ->> 'kind' = 'start'
      ), started as (
        ${startingBursts(sql`select w.id, w.project_id from endpoints w where not w.has_lane and w.id in (select endpoint_id from joined)`)}
      )
      select id from joined`,
  );
  if (left.length > 0) noteMessages(em);
  return new Set(left.map(({ id }) => id));
}

/** Endpoints after this one (null: from the first) that should have a burst, in order of their ids. */
export async function batchOfOpenBursts(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<WebhookEndpointRow, 'id'>>`
      select w.id from webhook_endpoints w
      where ${NEEDS_BURST} and w.id > ${after ?? LOWEST_ID}::uuid
      order by w.id limit ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** Which of these endpoints should have a burst. */
export async function openBursts(em: EntityManager, endpointIds: readonly string[]): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<WebhookEndpointRow, 'id'>>`
      select w.id from webhook_endpoints w where w.id = any(${endpointIds}::uuid[]) and ${NEEDS_BURST}`,
  );
  return found.map(({ id }) => id);
}

/** An endpoint whose burst is to be started. */
export type BurstToStart = Pick<WebhookEndpointRow, 'id' | 'project_id'>;

/** Those of these endpoints that should have a burst, and no start of it is on its way. */
export async function burstsToStart(em: EntityManager, endpointIds: readonly string[]): Promise<BurstToStart[]> {
  return rows(
    em,
    sql<BurstToStart>`
      select w.id, w.project_id from webhook_endpoints w where w.id = any(${endpointIds}::uuid[]) and ${NEEDS_BURST}
        and ${hasNoStart(workflowIdOf('webhookBurst', 'w.id'))}`,
  );
}

/** Once settled, `next_attempt_at` is the instant of the last attempt (docs/contract/webhooks.md 17); where there was none, of the settling. */
const LAST_ATTEMPT = sql.raw(`coalesce((d.attempt_log -> -1 ->> 'at')::timestamptz, now())`);

/** Fails a delivery whose workflow closed without it, unless a start is on its way. Returns whether it was open still. */
export async function failDelivery(tx: EntityManager, id: string): Promise<boolean> {
  const failed = await row(
    tx,
    sql`update webhook_deliveries d set status = 'failed', next_attempt_at = ${LAST_ATTEMPT} where d.id = ${id} and ${HAS_WORKFLOW}
          and ${hasNoStart(workflowIdOf('webhookDelivery', 'd.id'))} returning 1`,
  );
  return failed !== undefined;
}

/** The same for one that waits in a burst, whose workflow makes the attempts of others, too. */
export async function failInBurst(tx: EntityManager, id: string): Promise<boolean> {
  const failed = await row(
    tx,
    sql`update webhook_deliveries d set status = 'failed', in_lane = false, next_attempt_at = ${LAST_ATTEMPT}
        where d.id = ${id} and ${IN_BURST} returning 1`,
  );
  return failed !== undefined;
}

/** Locks an endpoint against those who write deliveries, as where a burst ends. */
export async function lockAgainstDeliveries(tx: EntityManager, endpointId: string): Promise<void> {
  await row(tx, sql`select 1 from webhook_endpoints where id = ${endpointId} ${AGAINST_DELIVERIES}`);
}

/** Fails all that waits in the burst of an endpoint, of what was written until then where that is given. Returns how many. */
export async function failWaiting(tx: EntityManager, endpointId: string, until: Date | undefined): Promise<number> {
  const failed = await row(
    tx,
    sql<{ count: number }>`
      with failed as (
        update webhook_deliveries d set status = 'failed', in_lane = false, next_attempt_at = ${LAST_ATTEMPT}
        where ${IN_BURST} and d.endpoint_id = ${endpointId} and (${until ?? null}::timestamptz is null or d.created_at <= ${until ?? null}::timestamptz)
        returning 1
      )
      select count(*) as count from failed`,
  );
  return failed?.count ?? 0;
}

/** Says that an endpoint has a burst if something waits in it, and no burst otherwise. Whether it has one. */
export async function keepBurstIfWaiting(tx: EntityManager, endpointId: string): Promise<boolean> {
  const left = await row(
    tx,
    sql<Pick<WebhookEndpointRow, 'has_lane'>>`
      update webhook_endpoints w set has_lane = ${HAS_WAITING} where w.id = ${endpointId} returning w.has_lane`,
  );
  return left?.has_lane ?? false;
}
