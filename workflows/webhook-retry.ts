import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RetryActivities } from '../activities/webhook-retry.ts';
import { grouped } from '../domain/shown-text.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { RetryInput, RetryReport } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';
import { turnOptions } from './turns.ts';

/** How soon it looks again whether the endpoint has taken what waits: at first, and at most. */
const CROWDED_MS = 1_000;
const LONGEST_CROWDED_MS = 60_000;

/** All deliveries of an endpoint that have failed, begun again portion after portion. Answers with a sentence for operators. */
export async function webhookRetry(input: RetryInput): Promise<string> {
  const { retryCancelled } = localActivities<RetryActivities>(input, { startToCloseTimeout: '30s' });
  const { retryFailed } = queuedActivities<RetryActivities>(input, turnOptions('the next portions', '10s'));
  const changes = new Changes({
    changed: 'Sent by Everpost: the endpoint was enabled or deleted',
    retryNow: 'It looks at once whether the endpoint has room for more',
  });
  return settlingCancellation(
    async () => {
      for (let pauseMs = CROWDED_MS; ; ) {
        const seen = changes.count;
        const report = await retryFailed(input);
        const soFar = wordsOf(report);
        setCurrentDetails(soFar);
        if (report.state === 'ended') return soFar;
        if (report.state === 'held') {
          showState('held');
          await changes.beyond(seen, RECHECK_MS, `${soFar}; held: the endpoint is disabled`);
        } else if (report.state === 'crowded') {
          showState('waiting');
          await changes.beyond(seen, pauseMs, `${soFar}; the endpoint has enough that waits for it`);
          pauseMs = Math.min(2 * pauseMs, LONGEST_CROWDED_MS);
        } else {
          showState('running');
          pauseMs = CROWDED_MS;
        }
        // Its row says how far it is.
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookRetry>(input);
      }
    },
    () => retryCancelled(input),
  );
}

function wordsOf({ retried, total }: RetryReport): string {
  return `${grouped(retried)} of ${grouped(total)} begun again`;
}
