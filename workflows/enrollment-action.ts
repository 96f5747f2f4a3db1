import { ActivityCancellationType, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ActionActivities } from '../activities/enrollment-action.ts';
import type { EnrollmentActionName } from '../domain/sequences/enrollment-action.ts';
import { grouped } from '../domain/shown-text.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { ActionInput, ActionReport } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';

const DONE: Readonly<Record<EnrollmentActionName, string>> = {
  move: 'moved',
  migrate: 'moved or ended',
  cancel: 'cancelled',
  resume: 'resumed',
  retry: 'retried',
};

/** Something is done with many runs, portion after portion. Answers with a sentence for operators. */
export async function enrollmentAction(input: ActionInput): Promise<string> {
  const { actionCancelled } = localActivities<ActionActivities>(input, { startToCloseTimeout: '30s' });
  const { actOnRuns } = queuedActivities<ActionActivities>(input, {
    summary: 'the next runs',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '60s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  // It waits for none: each portion reads its row.
  new Changes({ changed: 'Sent by Everpost: nothing that it waits for', retryNow: 'Nothing: it waits for nothing' });
  return settlingCancellation(
    async () => {
      for (;;) {
        const report = await actOnRuns(input);
        const soFar = wordsOf(report);
        setCurrentDetails(soFar);
        if (report.state === 'ended') return soFar;
        showState('running');
        // Its row says how far it is.
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof enrollmentAction>(input);
      }
    },
    () => actionCancelled(input),
  );
}

function wordsOf({ action, done, skipped, total }: ActionReport): string {
  return `${grouped(done)} of ${grouped(total)} runs ${DONE[action]}, ${grouped(skipped)} skipped`;
}
