import { ApplicationFailure, isCancellation, TemporalFailure } from '@temporalio/workflow';

/**
 * What a local activity gives; null when it broke off, so that the work goes through its queue. A cancellation is thrown, and a failure of
 * the type that is an answer.
 */
export async function unlessBrokenOff<T>(work: Promise<T>, answer?: string): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    // A local activity's failure arrives as it is, not within an ActivityFailure.
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    if (answer !== undefined && error instanceof ApplicationFailure && error.type === answer) throw error;
    return null;
  }
}
