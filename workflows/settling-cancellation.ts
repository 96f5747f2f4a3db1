import { CancellationScope, isCancellation } from '@temporalio/workflow';

/** Does the work of a workflow. Cancelled in Temporal, it still settles what the work is about (docs/contract/temporal.md 8) before it throws that. */
export async function settlingCancellation<Result>(work: () => Promise<Result>, settle: () => Promise<void>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(settle);
    throw error;
  }
}
