import { proxyLocalActivities } from '@temporalio/workflow';
import type { nothing } from './empty-worker.ts';

const activities = proxyLocalActivities<{ nothing: typeof nothing }>({ startToCloseTimeout: '10s' });

/** The least that a workflow with one local activity can cost on a server. */
export async function empty(): Promise<void> {
  await activities.nothing();
}
