import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { WorkflowType } from '../../workflows/contracts.ts';
import { answerTask } from './by-hand.ts';

const { CommandType } = proto.temporal.api.enums.v1;

/** How a workflow may come to its end; what it would have done is left out. */
export type Ending = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';

const COMMANDS = {
  completed: { commandType: CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION, completeWorkflowExecutionCommandAttributes: {} },
  failed: {
    commandType: CommandType.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION,
    failWorkflowExecutionCommandAttributes: { failure: { message: 'as the test wants it' } },
  },
  cancelled: { commandType: CommandType.COMMAND_TYPE_CANCEL_WORKFLOW_EXECUTION, cancelWorkflowExecutionCommandAttributes: {} },
} as const;

/** Starts a workflow of this type where no worker takes it, and brings it to this end. */
export async function closedWorkflow(client: Client, workflowType: WorkflowType, workflowId: string, ending: Ending): Promise<void> {
  const taskQueue = `nobody-${randomUUID()}`;
  const handle = await client.workflow.start(workflowType, {
    workflowId,
    taskQueue,
    ...(ending === 'timed_out' ? { workflowRunTimeout: '1s' } : {}),
  });
  if (ending === 'terminated') await handle.terminate();
  else if (ending !== 'timed_out') await answerTask(client, taskQueue, COMMANDS[ending]);
  await handle.result().catch(() => undefined);
}
