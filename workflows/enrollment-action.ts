import { continueAsNew } from '@temporalio/workflow';
import type { ActionActivities } from '../activities/enrollment-action.ts';
import type { EnrollmentActionName } from '../domain/sequences/enrollment-action.ts';
import { grouped } from '../domain/shown-text.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { ActionInput, ActionReport } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { turnAfterTurn, turnOptions } from './turns.ts';

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
  const { actOnRuns } = queuedActivities<ActionActivities>(input, turnOptions('the next runs', '60s'));
  // It waits for none: each portion reads its row.
  const changes = new Changes({ changed: 'Sent by Everpost: nothing that it waits for', retryNow: 'Nothing: it waits for nothing' });
  return settlingCancellation(
    () =>
      turnAfterTurn({
        changes,
        turn: async () => said(await actOnRuns(input)),
        continueAsNew: () => continueAsNew<typeof enrollmentAction>(input),
      }),
    () => actionCancelled(input),
  );
}

function said({ state, action, done, skipped, total }: ActionReport) {
  return { state, said: `${grouped(done)} of ${grouped(total)} runs ${DONE[action]}, ${grouped(skipped)} skipped` };
}
