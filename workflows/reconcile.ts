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
import { pauseAfterPass } from '../domain/operations/reconcile-pace.ts';
import type { KnownPasses, ReconcileInput } from './contracts.ts';
import { retryNow } from './signals.ts';

// The next pass is the next try.
const { reconcileRows, forgetExpired } = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '50s',
  scheduleToCloseTimeout: '5m',
  retry: { maximumAttempts: 1 },
});

/**
 * Every 45 seconds, and at the signal `retryNow`: rows and workflows are made to agree, and what is kept for a time only goes. One run lasts for
 * hours, so that the list of workflows is not full of it; a schedule starts the next should this one be ended.
 */
export async function reconcile(input: ReconcileInput = {}): Promise<void> {
  let asked = 0;
  setHandler(retryNow, () => {
    asked++;
  });
  for (let { known } = input; ; ) {
    const seen = asked;
    const begunAt = Date.now();
    const { details, ...result } = await pass(known);
    known = result.known;
    setCurrentDetails(details);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reconcile>(known ? { known } : {});
    await condition(() => asked > seen, pauseAfterPass(begunAt, Date.now()), { summary: 'until the next pass' });
  }
}

interface Passed {
  readonly known: KnownPasses | undefined;
  readonly details: string;
}

/** Says what it came to; a failure, such as a database that is away, is the next pass's to make good. */
async function pass(known: KnownPasses | undefined): Promise<Passed> {
  const at = new Date().toISOString();
  let now = known && { ...known, begun: known.begun + 1 };
  try {
    const { settled, started, failed, pass, isAfterRestore } = await reconcileRows(known);
    // An earlier release answers without a number.
    if (pass !== undefined) now = { ended: pass, begun: pass };
    await forgetExpired();
    const notCompared = failed > 0 ? `, ${failed} rows not compared` : '';
    const why = known ? 'a database was restored' : 'the run before was ended';
    const restored = isAfterRestore ? `, and every open workflow was asked to read its row again, since ${why}` : '';
    return { known: now, details: `Last pass at ${at}: ${settled} rows settled, ${started} workflows started${notCompared}${restored}` };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { known: now, details: `The pass at ${at} failed: ${error.cause?.message ?? error.message}` };
  }
}
