import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, expect, test } from 'vitest';
import type { LogFields, Logger } from '../../../platform/logger.ts';
import { installSdkRuntime } from '../../../platform/temporal/sdk-runtime.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { temporalClient } from '../../support/temporal.ts';

const lines: LogFields[] = [];
const at =
  (level: string) =>
  (event: string, fields: LogFields = {}): void =>
    void lines.push({ level, event, ...fields });
const log: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), writes: () => true, child: () => log };

const { CommandType } = proto.temporal.api.enums.v1;
const ACTIVITIES = ['first', 'second', 'third'];

installSdkRuntime(log, () => {});
const connection = await NativeConnection.connect({ address: testEnvironment().temporalAddress });
afterAll(() => connection.close());

test("the core's warnings of one kind are one line of the log, without the task token that it prints", async () => {
  const client = await temporalClient();
  const taskQueue = `sdk-log-${randomUUID()}`;
  const { workflowService } = client;
  const { namespace } = client.options;
  const handle = await client.workflow.start('any', { taskQueue, workflowId: taskQueue });
  const poll = { namespace, taskQueue: { name: taskQueue }, identity: 'test' };
  const { taskToken } = await client.withDeadline(Date.now() + 10_000, () => workflowService.pollWorkflowTaskQueue(poll));
  const commands = ACTIVITIES.map((activityId) => ({
    commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
    scheduleActivityTaskCommandAttributes: {
      activityId,
      activityType: { name: 'held' },
      taskQueue: { name: taskQueue },
      startToCloseTimeout: { seconds: 60 as never },
    },
  }));
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, identity: 'test', commands });

  let begun = 0;
  const released = Promise.withResolvers<void>();
  const held = async (): Promise<void> => {
    begun++;
    await released.promise;
  };
  const worker = await Worker.create({ connection, namespace, taskQueue, activities: { held } });
  await worker.runUntil(async () => {
    await eventually(() => begun === ACTIVITIES.length);
    await handle.terminate();
    // The server does not know the activities any more when they are completed: the core warns, once for each. An operator did it, so it is no warning of ours.
    released.resolve();
  });

  const warned = await eventually(() => lines.find(({ message }) => String(message).startsWith('Activity not found on completion')));
  expect(warned).toMatchObject({ level: 'info', event: 'temporal.sdk', sdkComponent: 'core' });
  expect(lines.filter(({ message }) => message === warned.message)).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toMatch(/token|[A-Za-z0-9+/]{40,}/i);
  expect(JSON.stringify(lines)).not.toContain(Buffer.from(taskQueue).toString('base64').slice(4, 24));
});
