import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ConfirmationActivities } from '../activities/confirmation.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import { type ConfirmationInput, TASK_QUEUES } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';

/** Asks somebody who signed up whether it was them, reminds them, and waits until they confirm or their time is over. Answers with a sentence for operators. */
export async function confirmation(input: ConfirmationInput): Promise<string> {
  const { confirmationCancelled } = localActivities<ConfirmationActivities>(input, { startToCloseTimeout: '30s' });
  const { advanceConfirmation } = queuedActivities<ConfirmationActivities>(input, {
    taskQueue: TASK_QUEUES.email,
    summary: 'the next mail, or the end',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });
  const changes = new Changes({
    changed: 'Sent by Everpost: they confirmed, signed up again, or somebody else has changed the contact',
    retryNow: 'A mail that is held or put off is tried again at once',
  });
  return settlingCancellation(
    async () => {
      for (;;) {
        const seen = changes.count;
        const report = await advanceConfirmation({ confirmationId: input.confirmationId });
        if (report.state === 'over') return report.said;
        setCurrentDetails(report.said);
        showState(report.state);
        await changes.beyond(seen, report.nextInMs, report.said);
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof confirmation>(input);
      }
    },
    () => confirmationCancelled(input),
  );
}
