import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { endRetry } from '../db/queries/webhooks/webhook-retries.ts';
import { retryInPortions } from '../usecases/webhooks/retry-failed.ts';
import type { RetryInput, RetryReport } from '../workflows/contracts.ts';

/** It works for so long, then the workflow shows how far it is. */
const TURN_MS = 5_000;

/** What the workflow of a retry of all failed deliveries may ask for. */
export function createRetryActivities({ orm }: { readonly orm: MikroORM }) {
  return {
    /** Each portion is one transaction that says how far it is, so a turn that is broken off goes on there. */
    async retryFailed({ retryId }: RetryInput): Promise<RetryReport> {
      const context = Context.current();
      const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(TURN_MS)]);
      return retryInPortions(orm.em.fork(), retryId, { signal, progress: (soFar) => context.heartbeat(soFar) });
    },

    /** Cancelled in Temporal: what was begun again stays so. */
    async retryCancelled({ retryId }: RetryInput): Promise<void> {
      await orm.em.fork().transactional((tx) => endRetry(tx, retryId, 'cancelled'));
    },
  };
}

export type RetryActivities = ReturnType<typeof createRetryActivities>;
