import {
  ActivityFailure,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReconcileActivities } from '../activities/reconcile.ts';
import { retryNow } from './signals.ts';

const EVERY_MS = 60_000;

// The next minute is the next try.
const { reconcileRows, forgetExpired } = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '50s',
  scheduleToCloseTimeout: '5m',
  retry: { maximumAttempts: 1 },
});

/**
 * Every minute, and at the signal `retryNow`: rows and workflows are made to agree, and what is kept for a time only goes. One run lasts for
 * hours, so that the list of workflows is not full of it; a schedule starts the next should this one be ended.
 */
export async function reconcile(): Promise<void> {
  let asked = 0;
  setHandler(retryNow, () => {
    asked++;
  });
  for (;;) {
    const seen = asked;
    setCurrentDetails(await pass());
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reconcile>();
    await condition(() => asked > seen, EVERY_MS, { summary: 'until the next pass' });
  }
}

/** Says what it came to; a failure, such as a database that is away, is the next minute's to make good. */
async function pass(): Promise<string> {
  const at = new Date().toISOString();
  try {
    const { settled, started, failed } = await reconcileRows();
    await forgetExpired();
    return `Last pass at ${at}: ${settled} rows settled, ${started} workflows started${failed > 0 ? `, ${failed} rows not compared` : ''}`;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return `The pass at ${at} failed: ${error.cause?.message ?? error.message}`;
  }
}
