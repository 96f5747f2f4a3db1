import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { WorkflowType } from '../../workflows/contracts.ts';

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
  else if (ending !== 'timed_out') await answerFirstTask(client, taskQueue, COMMANDS[ending]);
  await handle.result().catch(() => undefined);
}

/** As a worker would: with the one command that ends the workflow. */
async function answerFirstTask(client: Client, taskQueue: string, command: (typeof COMMANDS)[keyof typeof COMMANDS]): Promise<void> {
  const { namespace } = client.options;
  const { workflowService } = client;
  const poll = { namespace, taskQueue: { name: taskQueue }, identity: 'test' };
  const { taskToken } = await client.withDeadline(Date.now() + 10_000, () => workflowService.pollWorkflowTaskQueue(poll));
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, identity: 'test', commands: [command] });
}
