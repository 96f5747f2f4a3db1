import { ActivityCancellationType, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-delivery.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import { type BurstInput, type BurstReport, TASK_QUEUES } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** Of the first turn no report is there yet, and an endpoint that hangs makes it long. */
const MEANWHILE = ': how many wait, and how fast it goes, stands in the heartbeat at Pending Activities';

/** The first attempts of one endpoint while many wait for it, and later ones of which very many are due: turn after turn, until nothing waits. */
export async function webhookBurst(input: BurstInput): Promise<string> {
  const { burstCancelled } = localActivities<WebhookActivities>(input, { startToCloseTimeout: '30s' });
  const changes = new Changes({
    changed: 'Sent by Everpost: the endpoint was changed or deleted, or more waits',
    retryNow: 'A burst that is held looks at its endpoint again',
  });
  const made = { delivered: 0, failed: 0 };
  const total = (): string => `${made.delivered} delivered, ${made.failed} refused, to be tried again later`;

  const turn = (summary: string, isFirst: boolean): Promise<BurstReport> =>
    queuedActivities<WebhookActivities>(input, {
      taskQueue: TASK_QUEUES.bursts,
      summary,
      startToCloseTimeout: '5m',
      heartbeatTimeout: '10s',
      // Rows that are failed by a cancellation are none that are being called.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '3s' },
    }).makeFirstAttempts({ ...input, isFirst });

  return settlingCancellation(
    async () => {
      for (let summary = 'first attempts', isFirst = true; ; isFirst = false) {
        const seen = changes.count;
        setCurrentDetails(`Making ${summary}${isFirst ? MEANWHILE : ''}. In all: ${total()}`);
        const { state, delivered, failed, details, summary: next } = await turn(summary, isFirst);
        summary = next;
        made.delivered += delivered;
        made.failed += failed;
        setCurrentDetails(`${details}. In all: ${total()}`);
        if (state === 'disabled') {
          showState('held');
          await changes.beyond(seen, RECHECK_MS, 'held: the endpoint is disabled');
          showState('running');
        }
        // Asked for again while it was ending: something may wait.
        else if (state !== 'more' && changes.count === seen) return total();
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookBurst>(input);
      }
    },
    () => burstCancelled(input),
  );
}
