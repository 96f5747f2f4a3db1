import { type Client, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { RECONCILE_SCHEDULE } from '../../platform/temporal/schedules.ts';
import { RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { eventually } from './eventually.ts';
import { workflowHistory } from './temporal.ts';

/** The run of reconcile that goes on now. Without one the schedule starts it at once instead of within the minute. */
export async function reconcileRun(client: Client): Promise<WorkflowHandle> {
  const schedule = client.schedule.getHandle(RECONCILE_SCHEDULE);
  await schedule.trigger(ScheduleOverlapPolicy.SKIP);
  return eventually(async () => {
    const { action } = (await schedule.describe()).info.recentActions.at(-1) ?? {};
    if (action?.type !== 'startWorkflow') return false;
    const run = client.workflow.getHandle(action.workflow.workflowId);
    return (await run.describe()).status.name === 'RUNNING' && run;
  });
}

/** Makes the next pass come at once instead of within the minute. Resolves when a whole one is over. */
export async function reconcileNow(client: Client): Promise<void> {
  const ask = async (): Promise<WorkflowHandle> => {
    const run = await reconcileRun(client);
    await run.signal(RETRY_NOW_SIGNAL);
    return run;
  };
  let run = await ask();
  await eventually(
    async () => {
      // Another test may have ended it.
      if ((await run.describe()).status.name !== 'RUNNING') run = await ask();
      const { events } = await workflowHistory(client, run.workflowId);
      const signal = events.findLastIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
      // A pass that had begun before goes to its end first.
      const passes = events.slice(signal).filter((event) => JSON.stringify(event).includes('"reconcileRows"'));
      const last = events.at(-1)?.eventType;
      return passes.length > 0 && last === 'EVENT_TYPE_TIMER_STARTED';
    },
    // Of two passes each.
    { timeoutMs: 60_000 },
  );
}
