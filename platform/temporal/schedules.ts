import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUES } from '../../workflows/contracts.ts';

/** Its id in Temporal. */
export const RECONCILE_SCHEDULE = 'everpost-reconcile';

/** Every minute, unless it runs: that it does is what the schedule is for. */
const RECONCILE = {
  spec: { intervals: [{ every: '1m' }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'reconcile',
    workflowId: 'reconcile',
    taskQueue: TASK_QUEUES.workflows,
    // A run lasts about three hours by itself; one that cannot go on makes room for the next.
    workflowRunTimeout: '12h',
    staticSummary: 'makes rows and workflows agree, every 45 s',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
} satisfies Omit<ScheduleOptions, 'scheduleId'>;

/** Created by the first worker; later ones bring it up to date. Whether an operator has paused it stays. */
export async function ensureReconcileSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({ scheduleId: RECONCILE_SCHEDULE, ...RECONCILE });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(RECONCILE_SCHEDULE).update(({ state }) => ({ ...RECONCILE, state }));
  }
}
