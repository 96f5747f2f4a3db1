import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { Closing } from '../../domain/operations/closing.ts';

const ASK_DEADLINE_MS = 5_000;

const CLOSINGS: Readonly<Record<string, Closing>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** The latest run: a reset closes one run and opens the next under the same id. Undefined when there is none. Throws when Temporal does not answer. */
export async function describeWorkflow(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.withDeadline(Date.now() + ASK_DEADLINE_MS, () => client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Undefined while it is open. */
export function closingOf({ status }: Pick<WorkflowExecutionDescription, 'status'>): Closing | undefined {
  return CLOSINGS[status.name];
}
