import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { registerSearchAttributes } from '../../platform/temporal/search-attributes.ts';
import { workflowBundle } from '../../platform/temporal/workflow-bundle.ts';
import { CHANGED_SIGNAL, TASK_QUEUES } from '../../workflows/contracts.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { temporalClient, workflowHistory } from './temporal.ts';
import { createNamespace } from './temporal-namespace.ts';

export interface ScriptedWorker {
  readonly client: Client;
  /** Starts the workflow of this type with activities of its own. `input`: beside its ids. */
  run(workflowType: string, activities: Readonly<Record<string, Scripted>>, input?: object): Promise<Run>;
  stop(): Promise<void>;
}

export interface Run {
  readonly workflowId: string;
  /** What the workflow answers; fails when it has not ended in time. */
  result(): Promise<unknown>;
}

/** An activity as a script has it. `call`: the how-manieth of this activity in the run. */
export type Scripted = (made: { readonly workflowId: string; readonly call: number; readonly input: unknown }) => unknown;

/**
 * The real workflow code on the real server, in a namespace of its own, with activities that do what a test says and when: what comes
 * between an activity's commit and its completion is forced here.
 */
export async function startScriptedWorker({ temporalAddress = testEnvironment().temporalAddress } = {}): Promise<ScriptedWorker> {
  const namespace = `test-${randomUUID()}`;
  await createNamespace(temporalAddress, namespace);
  const client = await temporalClient(namespace, temporalAddress);
  await registerSearchAttributes(client.connection, namespace);
  const telemetryOptions = { logging: { filter: 'OFF', forward: {} } };
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions, shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address: temporalAddress });
  const scripts = new Map<string, { readonly activities: Readonly<Record<string, Scripted>>; readonly calls: Map<string, number> }>();
  const named = (name: string) => {
    return async (input: Record<string, unknown>): Promise<unknown> => {
      const id = String(input.enrollmentId ?? input.campaignId);
      const { activities, calls } = scripts.get(id)!;
      const call = (calls.get(name) ?? 0) + 1;
      calls.set(name, call);
      return activities[name]?.({ workflowId: id, call, input });
    };
  };
  const names = ['nextStep', 'sendWithTask', 'sendSequenceEmail', 'callWebhook', 'endCancelled', 'nextCampaignStep', 'cancelledByOperator'];
  const shared = { connection, namespace, activities: Object.fromEntries(names.map((name) => [name, named(name)])) };
  const workers = [
    await Worker.create({ ...shared, taskQueue: TASK_QUEUES.workflows, workflowBundle: await workflowBundle() }),
    ...(await Promise.all([TASK_QUEUES.email, TASK_QUEUES.webhooks].map((taskQueue) => Worker.create({ ...shared, taskQueue })))),
  ];
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    client,
    async run(workflowType, activities, input = {}) {
      const workflowId = randomUUID();
      scripts.set(workflowId, { activities, calls: new Map() });
      // Short, so that a local activity that lasts lets signals come in meanwhile.
      const options = {
        workflowId,
        taskQueue: TASK_QUEUES.workflows,
        workflowTaskTimeout: 1_000,
        args: [{ ...input, enrollmentId: workflowId, campaignId: workflowId }],
      };
      const handle = await client.workflow.start(workflowType, options);
      return {
        workflowId,
        async result() {
          await eventually(async () => (await handle.describe()).status.name !== 'RUNNING');
          return handle.result();
        },
      };
    },
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** Sends the signal, that of a change unless another is named, and comes back when the run has it in its history. */
export async function changes(client: Client, workflowId: string, signal = CHANGED_SIGNAL): Promise<void> {
  const signals = async (): Promise<number> => {
    const { events } = await workflowHistory(client, workflowId);
    return events.filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED').length;
  };
  const before = await signals();
  await client.workflow.getHandle(workflowId).signal(signal);
  await eventually(async () => (await signals()) > before);
}
