import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import { STOP_FORCE_MS, STOP_GRACE_MS } from '../../domain/hand-over-times.ts';
import { TASK_QUEUES } from '../../workflows/contracts.ts';
import type { ReadyConfig } from '../config.ts';
import type { Logger } from '../logger.ts';
import { connectWorker } from './connection.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
/** A dead endpoint holds its place for 15 s; enough of them must not hold up the others. */
const WEBHOOKS_AT_ONCE = 200;
const CACHED_WORKFLOWS = 2_000;

export interface Workers {
  /** Finishes tasks in hand, takes no new ones. */
  stop(): Promise<void>;
}

/** The workers of this process: one for workflow code with its local activities, one for sends, one for calls to the outside. */
export async function startWorkers(config: ReadyConfig, log: Logger, activities: object): Promise<Workers> {
  useLogger(log);
  const { connection, namespace } = await connectWorker(config);
  const shared: Pick<WorkerOptions, 'connection' | 'namespace' | 'shutdownGraceTime' | 'shutdownForceTime' | 'activities'> = {
    connection,
    namespace,
    shutdownGraceTime: STOP_GRACE_MS,
    shutdownForceTime: STOP_FORCE_MS,
    activities,
  };
  const workflows = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.workflows,
    workflowBundle: await workflowBundle(),
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentLocalActivityExecutions: 40,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
    // Sends must not run beside workflow tasks: they would pass by the limits of their own queue.
    maxEagerActivityReservationsPerWorkflowTask: 0,
  });
  const email = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.email,
    maxConcurrentActivityTaskExecutions: config.sendConcurrency,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(10, config.sendConcurrency) },
    ...(config.sendRatePerSecond > 0 ? { maxActivitiesPerSecond: config.sendRatePerSecond } : {}),
  });
  const webhooks = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.webhooks,
    maxConcurrentActivityTaskExecutions: WEBHOOKS_AT_ONCE,
  });
  const running = [workflows, email, webhooks];
  const runs = Promise.all(running.map((worker) => worker.run()));
  runs.catch((error: unknown) => log.error('worker.failed', { error }));
  return {
    async stop() {
      for (const worker of running) if (worker.getState() === 'RUNNING') worker.shutdown();
      await runs.catch(() => undefined);
      await connection.close();
    },
  };
}

/** Bundled once a process: 1.5 s that every worker of it shares. */
let bundle: Promise<WorkflowBundleOption> | undefined;
function workflowBundle(): Promise<WorkflowBundleOption> {
  bundle ??= bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') });
  return bundle;
}

let installed = false;
/** The SDK has one runtime a process; its log lines become ours. */
function useLogger(log: Logger): void {
  if (installed) return;
  installed = true;
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    // So they are meant: workers of activities alone.
    if (message.startsWith('No workflows registered')) return;
    const fields = { message, ...meta };
    if (level === 'ERROR') log.error('temporal.sdk', fields);
    else log.warn('temporal.sdk', fields);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}
