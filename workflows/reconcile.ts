import { proxyActivities } from '@temporalio/workflow';
import type { ReconcileActivities } from '../activities/reconcile.ts';

const { settleClosedWorkflows, forgetExpired } = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '50s',
  retry: { maximumAttempts: 1 },
});

/** Run by a schedule, every minute: rows follow workflows that an operator has ended, and what is kept for a time only goes. */
export async function reconcile(): Promise<number> {
  const settled = await settleClosedWorkflows();
  await forgetExpired();
  return settled;
}
