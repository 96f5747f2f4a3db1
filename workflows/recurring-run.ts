import { setCurrentDetails } from '@temporalio/workflow';
import type { RecurringRunActivities } from '../activities/recurring-run.ts';
import { queuedActivities } from './activities.ts';
import type { RecurringRunInput } from './contracts.ts';

/** Started by the schedule of a recurring campaign: makes the campaign that is due, if one is. Answers with a sentence for operators. */
export async function recurringRun(input: RecurringRunInput): Promise<string> {
  const { makeDueCampaign } = queuedActivities<RecurringRunActivities>(input, {
    startToCloseTimeout: '15m',
    heartbeatTimeout: '8s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });
  const { said } = await makeDueCampaign({ recurringId: input.recurringId });
  setCurrentDetails(said);
  return said;
}
