import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { eventually } from './eventually.ts';

const { CommandType, WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const POLL_MS = 10_000;

/** The token of the next task that `poll` answers with: before the deadline of a poll the server answers it with none. */
function take(client: Client, poll: () => Promise<{ readonly taskToken: Uint8Array }>): Promise<Uint8Array> {
  return eventually(async () => {
    const { taskToken } = await client.withDeadline(Date.now() + POLL_MS, poll);
    return taskToken.length > 0 && taskToken;
  });
}

const pollOf = ({ options: { namespace } }: Client, taskQueue: string) => ({ namespace, taskQueue: { name: taskQueue }, identity: 'test' });

/** What a worker would do, done by the test: on a queue that no worker polls. */
const takeTask = (client: Client, taskQueue: string): Promise<Uint8Array> =>
  take(client, () => client.workflowService.pollWorkflowTaskQueue(pollOf(client, taskQueue)));

/** Answers the next workflow task with this one command. */
export async function answerTask(client: Client, taskQueue: string, command: proto.temporal.api.command.v1.ICommand): Promise<void> {
  const taskToken = await takeTask(client, taskQueue);
  const { namespace } = client.options;
  await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, identity: 'test', commands: [command] });
}

/** Starts a workflow whose first task fails so many times. */
export async function startFailing(
  client: Client,
  workflowType: string,
  workflowId: string,
  times: number,
  message: string,
): Promise<void> {
  const taskQueue = `nobody-${randomUUID()}`;
  await client.workflow.start(workflowType, { workflowId, taskQueue });
  for (let failures = 0; failures < times; failures++) {
    const taskToken = await takeTask(client, taskQueue);
    await client.workflowService.respondWorkflowTaskFailed({
      ...{ namespace: client.options.namespace, taskToken, identity: 'test', failure: { message } },
      cause: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
    });
  }
}

/** Starts a workflow with an activity that fails so many times, and whose next attempt comes in an hour. Answers with the activity's queue. */
export async function startWithFailingActivity(
  client: Client,
  workflowType: string,
  workflowId: string,
  { activity, times, message }: { readonly activity: string; readonly times: number; readonly message: string },
): Promise<string> {
  const taskQueue = `nobody-${randomUUID()}`;
  const { namespace } = client.options;
  await client.workflow.start(workflowType, { workflowId, taskQueue });
  await answerTask(client, taskQueue, {
    commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
    scheduleActivityTaskCommandAttributes: {
      ...{ activityId: '1', activityType: { name: activity }, taskQueue: { name: taskQueue } },
      ...{ scheduleToCloseTimeout: { seconds: 86_400 as never }, startToCloseTimeout: { seconds: 60 as never } },
      retryPolicy: { initialInterval: { nanos: 1_000_000 }, backoffCoefficient: 1 },
    },
  });
  for (let failures = 1; failures <= times; failures++) {
    const taskToken = await takeActivity(client, taskQueue);
    const isLast = failures === times;
    const nextRetryDelay = isLast ? { seconds: 3_600 as never } : null;
    await client.workflowService.respondActivityTaskFailed({
      ...{ namespace, taskToken, identity: 'test' },
      failure: { message, applicationFailureInfo: { type: 'test', nextRetryDelay } },
    });
  }
  return taskQueue;
}

/** The token of the next attempt on this queue. */
export const takeActivity = (client: Client, taskQueue: string): Promise<Uint8Array> =>
  take(client, () => client.workflowService.pollActivityTaskQueue(pollOf(client, taskQueue)));
