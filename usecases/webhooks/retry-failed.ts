import type { WebhookRetryRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, enqueueEach, retryStart, signalRetry } from '../../db/queries/operations/outbox.ts';
import { countInBurst } from '../../db/queries/webhooks/webhook-attempts.ts';
import { isEndpointEnabled } from '../../db/queries/webhooks/webhook-endpoints.ts';
import {
  endRetry,
  insertRetry,
  latestRetry,
  lockRetry,
  type RetryFilter,
  retriesToStart,
  retryFailed,
} from '../../db/queries/webhooks/webhook-retries.ts';
import { Refusal } from '../../domain/errors.ts';
import type { RetryReport } from '../../workflows/contracts.ts';

/** Of one transaction. */
const PORTION = 200;
/** No more is begun again while so many wait for the endpoint: what happens meanwhile would wait behind them. */
const MOST_WAITING = 1_000;

/**
 * Has all that has failed by now begun again by a workflow; nothing is left to do where there is none. Throws invalid_status while the retry
 * before of the endpoint runs.
 */
export async function beginRetry(
  tx: EntityManager,
  asked: Pick<WebhookRetryRow, 'id' | 'project_id' | 'endpoint_id'> & RetryFilter,
): Promise<WebhookRetryRow> {
  const begun = await insertRetry(tx, asked);
  if (!begun) throw new Refusal('invalid_status', 'a retry of this endpoint is running: wait until it has ended');
  await enqueue(tx, begun.project_id, [retryStart(begun.id)]);
  return begun;
}

/** Portion after portion until all are begun again, enough waits for the endpoint, or the signal comes. `progress`: called after each. */
export async function retryInPortions(
  em: EntityManager,
  id: string,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (soFar: RetryReport) => void },
): Promise<RetryReport> {
  for (;;) {
    const report = await em.transactional((tx) => nextPortion(tx, id));
    progress(report);
    if (report.state !== 'more' || signal.aborted) return report;
  }
}

async function nextPortion(tx: EntityManager, id: string): Promise<RetryReport> {
  const retry = await lockRetry(tx, id);
  // Gone with its endpoint.
  if (!retry) return { state: 'ended', retried: 0, total: 0 };
  const { retried: before, total } = retry;
  if (retry.status !== 'running') return { state: 'ended', retried: before, total };
  if (!(await isEndpointEnabled(tx, retry.endpoint_id))) return { state: 'held', retried: before, total };
  if ((await countInBurst(tx, retry.endpoint_id)) >= MOST_WAITING) return { state: 'crowded', retried: before, total };
  const { retried, isLast } = await retryFailed(tx, retry, PORTION);
  if (isLast) await endRetry(tx, id, 'completed');
  return { state: isLast ? 'ended' : 'more', retried: before + retried, total };
}

/** Makes the retry of an endpoint, if one runs, look at that again: it was enabled. */
export async function tellRetry(tx: EntityManager, endpointId: string): Promise<void> {
  const retry = await latestRetry(tx, endpointId);
  if (retry?.status === 'running') await signalRetry(tx, retry.project_id, retry.id);
}

/** Starts the workflows of those that run; one whose start is on its way already is passed over. Returns how many. */
export async function restartRetries(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await retriesToStart(tx, ids), retryStart);
}
