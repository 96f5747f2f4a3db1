import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUES } from '../../workflows/contracts.ts';

/** Its id in Temporal. */
export const RECONCILE_SCHEDULE = 'everpost-reconcile';

/** Every minute; created by the first worker, left alone by the others. */
export async function ensureReconcileSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: RECONCILE_SCHEDULE,
      spec: { intervals: [{ every: '1m' }] },
      action: { type: 'startWorkflow', workflowType: 'reconcile', taskQueue: TASK_QUEUES.workflows, workflowExecutionTimeout: '5m' },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
