import { type RawBuilder, sql } from 'kysely';
import type { RetryStatus } from '../../../domain/webhooks/retry.ts';
import { columnsOf } from '../../columns.ts';
import { type ProjectRow, type WebhookEndpointRow, WebhookRetry, type WebhookRetryRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { row, rows } from '../../rows.ts';
import { endRunning, openRows } from '../operations/open-rows.ts';
import { startingBursts } from '../operations/outbox.ts';
import { AGAINST_ITS_END } from './burst-or-workflow.ts';
import { reopening } from './webhook-deliveries.ts';

const RETRY = columnsOf(WebhookRetry, 'r');

/** Which of the failed deliveries of an endpoint; null: whatever it is. */
export type RetryFilter = Pick<WebhookRetryRow, 'event_type' | 'made_from' | 'made_to'>;

/** The condition of a failed delivery `d`, by the index of such. `failedBy`: nothing that failed later. */
function isMeant(endpointId: string, { event_type, made_from, made_to }: RetryFilter, failedBy?: Date): RawBuilder<unknown> {
  const conditions = [sql`d.endpoint_id = ${endpointId} and d.status = 'failed'`];
  if (made_from) conditions.push(sql`d.created_at >= ${made_from}`);
  if (made_to) conditions.push(sql`d.created_at < ${made_to}`);
  if (event_type !== null) conditions.push(sql`(select v.type from webhook_events v where v.id = d.event_id) = ${event_type}`);
  if (failedBy) conditions.push(sql`d.next_attempt_at <= ${failedBy}`);
  return sql.join(conditions, sql` and `);
}

/** How many match, and no more than so many. */
export async function countFailed(em: EntityManager, endpointId: string, filter: RetryFilter, most: number): Promise<number> {
  const counted = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from (select 1 from webhook_deliveries d where ${isMeant(endpointId, filter)} limit ${most}) failed`,
  );
  return counted?.count ?? 0;
}

/** Of what has failed by now. Undefined where one of the endpoint runs already, also of two that are made at once. */
export async function insertRetry(
  tx: EntityManager,
  { id, project_id, endpoint_id, ...filter }: Pick<WebhookRetryRow, 'id' | 'project_id' | 'endpoint_id'> & RetryFilter,
): Promise<WebhookRetryRow | undefined> {
  return row(
    tx,
    sql<WebhookRetryRow>`
      insert into webhook_retries as r (id, project_id, endpoint_id, event_type, made_from, made_to, total)
      select ${id}::uuid, ${project_id}::uuid, ${endpoint_id}::uuid, ${filter.event_type}::text, ${filter.made_from}::timestamptz,
             ${filter.made_to}::timestamptz, (select count(*) from webhook_deliveries d where ${isMeant(endpoint_id, filter)})
      on conflict (endpoint_id) where status = 'running' do nothing
      returning ${RETRY}`,
  );
}

/** The latest of an endpoint. */
export async function latestRetry(em: EntityManager, endpointId: string): Promise<WebhookRetryRow | undefined> {
  return row(
    em,
    sql<WebhookRetryRow>`select ${RETRY} from webhook_retries r where r.endpoint_id = ${endpointId} order by r.id desc limit 1`,
  );
}

/** What has come of the deliveries that one has begun again, as far as another has not begun them again since. */
export interface RetryOutcome {
  readonly delivered: number;
  /** Without an attempt that is left, once more. */
  readonly failed: number;
}

/** Undefined where none of them is known: a retry of the version before has not said which they are, and old ones are dropped. */
export async function retryOutcome(em: EntityManager, id: string): Promise<RetryOutcome | undefined> {
  const found = await row(
    em,
    sql<RetryOutcome & { count: number }>`
      select count(*) as count, count(*) filter (where d.status = 'delivered') as delivered, count(*) filter (where d.status = 'failed') as failed
      from webhook_deliveries d where d.retried_by = ${id}::uuid`,
  );
  return found && found.count > 0 ? { delivered: found.delivered, failed: found.failed } : undefined;
}

/** With its row locked against its end. */
export async function lockRetry(tx: EntityManager, id: string): Promise<WebhookRetryRow | undefined> {
  return row(tx, sql<WebhookRetryRow>`select ${RETRY} from webhook_retries r where r.id = ${id} for update`);
}

/** What one portion has come to. */
export interface RetriedPortion {
  /** Begun again. */
  readonly retried: number;
  /** None is left. */
  readonly isLast: boolean;
}

/**
 * Begins the next deliveries again, in order of creation, which the burst of their endpoint attempts, and counts them: in one transaction with
 * `lockRetry`, so that each is begun again once, whatever process dies. What fails after the retry was asked for is none of them.
 */
export async function retryFailed(tx: EntityManager, retry: WebhookRetryRow, most: number): Promise<RetriedPortion> {
  const { id, endpoint_id, after_created_at: afterAt, after_place: afterPlace } = retry;
  const after = afterAt === null ? sql`true` : sql`(d.created_at, d.place) > (${afterAt}, ${afterPlace})`;
  const which = sql`${isMeant(endpoint_id, retry, retry.created_at)} and ${after} order by d.created_at, d.place limit ${most}`;
  const portion = await row(
    tx,
    sql<{ looked: number; retried: number }>`
      with endpoint as materialized (
        select w.id, w.project_id, w.has_lane from webhook_endpoints w where w.id = ${endpoint_id} ${AGAINST_ITS_END}
      ), ${reopening(which, id)}, started as (
        ${startingBursts(sql`select w.id, w.project_id from endpoint w where not w.has_lane and exists (select 1 from reopened)`)}
      ), last as materialized (
        select created_at, place from meant order by created_at desc, place desc limit 1
      ), counted as (
        update webhook_retries r set retried = r.retried + (select count(*) from reopened),
          after_created_at = l.created_at, after_place = l.place
        from last l where r.id = ${id}
      )
      select (select count(*) from meant) as looked, (select count(*) from reopened) as retried`,
  );
  const { looked = 0, retried = 0 } = portion ?? {};
  if (retried > 0) noteMessages(tx);
  return { retried, isLast: looked < most };
}

/** Ends one that runs. Whether it did run. */
export async function endRetry(tx: EntityManager, id: string, status: Exclude<RetryStatus, 'running'>): Promise<boolean> {
  return endRunning(tx, 'webhook_retries', { id, status });
}

/** What a retry's workflow is started with. */
export interface RetryStart extends Pick<WebhookRetryRow, 'id' | 'endpoint_id' | 'total'>, Pick<WebhookEndpointRow, 'url'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function retryStarts(em: EntityManager, ids: readonly string[]): Promise<RetryStart[]> {
  return rows(
    em,
    sql<RetryStart>`
      select r.id, r.endpoint_id, r.total, w.url, p.slug as "projectSlug" from webhook_retries r
      join webhook_endpoints w on w.id = r.endpoint_id join projects p on p.id = r.project_id where r.id = any(${ids}::uuid[])`,
  );
}

/** Those that run. */
export const {
  batch: batchOfRunningRetries,
  among: runningRetries,
  toStart: retriesToStart,
} = openRows('webhookRetry', { table: 'webhook_retries', alias: 'r', isOpen: sql`r.status = 'running'` });
