import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { workflowHistory } from './temporal.ts';

/** What an operator does with "Reset" in Temporal Web: back to the first task of the workflow. */
export async function resetWorkflow(client: Client, workflowId: string): Promise<void> {
  // What a step has written is seen before its task is told to be done.
  const first = await eventually(async () => {
    const { events } = await workflowHistory(client, workflowId);
    return events.find(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED');
  });
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const answer = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'test',
    workflowTaskFinishEventId: Number(first.eventId) as never,
    requestId: randomUUID(),
  });
  expect(answer.runId).not.toBe(runId);
}
