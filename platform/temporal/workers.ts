import { Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { STOP_FORCE_MS, STOP_GRACE_MS } from '../../domain/sends/submission-times.ts';
import { CALLS_AT_ONCE, CALLS_WAITING } from '../../domain/webhooks/delivery.ts';
import { ACTIVITY_TYPES, BEGUN_CHANGES, TASK_QUEUES } from '../../workflows/contracts.ts';
import type { ReadyConfig } from '../config.ts';
import type { Logger } from '../logger.ts';
import { connectWorker } from './connection.ts';
import { type SdkMetrics, sdkMetrics } from './sdk-metrics.ts';
import { installSdkRuntime } from './sdk-runtime.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** Calls to the outside, those that wait for a slot among them: webhooks/fair-slots.ts shares the slots. */
const WEBHOOKS_AT_ONCE = CALLS_AT_ONCE + CALLS_WAITING;
/** Endpoints whose first attempts are made in bursts at once. */
const BURSTS_AT_ONCE = 100;
const CACHED_WORKFLOWS = 2_000;
/** How soon a sender or a burst learns that an operator has ended its workflow. Milliseconds. */
const TURN_HEARTBEAT_MS = 1_000;
/** How often a worker is looked at. */
const LOOK_MS = 500;

export interface Workers {
  /** Rejects when one of them ends without being asked to, as when the server refuses its polls for good. Never resolves. */
  readonly failed: Promise<never>;
  /** What the SDK counts; undefined where METRICS_PORT asks for none. */
  readonly metrics: SdkMetrics | undefined;
  /** Finishes tasks in flight, takes no new ones. */
  stop(): Promise<void>;
}

/** One task queue is not served any more. */
class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  /** Told without a stack trace, which the log has. */
  readonly plain = true;

  constructor(taskQueue: string, reason: string, options?: ErrorOptions) {
    super(`the worker for the task queue "${taskQueue}" failed: ${reason}`, options);
  }
}

/** What is done at once. */
export interface AtOnce {
  /** Mails of the queue of sends that are submitted. */
  readonly queuedSends: number;
  /** Senders of campaigns; the mails that they have in flight together are bounded by themselves. */
  readonly senders: number;
}

/** The workers of this process: one for workflow code with its local activities, one for sends, one for calls to the outside. */
export async function startWorkers(config: ReadyConfig, atOnce: AtOnce, log: Logger, activities: object): Promise<Workers> {
  const metrics = config.metricsPort === undefined ? undefined : await sdkMetrics();
  installSdkRuntime(log, (taskQueue, error) => fatalErrors.set(taskQueue, error), metrics);
  const { connection, namespace } = await connectWorker(config);
  const shared: SharedOptions = {
    connection,
    namespace,
    shutdownGraceTime: STOP_GRACE_MS,
    shutdownForceTime: STOP_FORCE_MS,
    activities: { ...activities, ...underTheirTypes(activities) },
  };
  const running = await createWorkers(shared, atOnce, config.sendRatePerSecond);
  let stopping = false;
  const ends = running.map(async (worker) => {
    await endOf(worker);
    if (!stopping) throw new WorkerFailure(worker.options.taskQueue, 'it stopped by itself');
  });
  const failed = Promise.all(ends).then(() => new Promise<never>(() => {}));
  failed.catch((error: unknown) => log.error('worker.failed', { error }));
  return {
    failed,
    metrics,
    async stop() {
      stopping = true;
      for (const worker of running) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(ends);
      // A worker that has failed never lets go of it.
      await connection.close().catch((error: unknown) => log.warn('worker.connection_left_open', { error }));
    },
  };
}

type SharedOptions = Pick<WorkerOptions, 'connection' | 'namespace' | 'shutdownGraceTime' | 'shutdownForceTime' | 'activities'>;

/** One for each task queue. */
async function createWorkers(shared: SharedOptions, { queuedSends, senders }: AtOnce, sendRatePerSecond: number): Promise<Worker[]> {
  const workflows = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.workflows,
    workflowBundle: await workflowBundle(),
    // A run that another build has begun with a change follows it all the same: its history says so.
    patchActivationCallback: ({ patchId }) => BEGUN_CHANGES.includes(patchId),
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
    maxConcurrentActivityTaskExecutions: queuedSends,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(10, queuedSends) },
    ...(sendRatePerSecond > 0 ? { maxActivitiesPerSecond: sendRatePerSecond } : {}),
  });
  const webhooks = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.webhooks,
    maxConcurrentActivityTaskExecutions: WEBHOOKS_AT_ONCE,
  });
  const campaigns = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.campaigns,
    maxConcurrentActivityTaskExecutions: senders,
    maxHeartbeatThrottleInterval: TURN_HEARTBEAT_MS,
  });
  const bursts = await Worker.create({
    ...shared,
    taskQueue: TASK_QUEUES.bursts,
    maxConcurrentActivityTaskExecutions: BURSTS_AT_ONCE,
    maxHeartbeatThrottleInterval: TURN_HEARTBEAT_MS,
  });
  return [workflows, email, webhooks, campaigns, bursts];
}

/** The activities once more, as runs ask for them that began under the present release. */
function underTheirTypes(activities: object): object {
  return Object.fromEntries(Object.entries(ACTIVITY_TYPES).map(([name, type]) => [type, Reflect.get(activities, name)]));
}

/**
 * Runs the worker to its end; throws WorkerFailure. After a fatal error, such as polls that the server has refused for a minute, the
 * SDK's own promise may wait for ever or hide the reason behind that of its clean-up, so it is the worker's state that tells.
 */
async function endOf(worker: Worker): Promise<void> {
  const { taskQueue } = worker.options;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const look = setInterval(() => {
    if (worker.getState() === 'FAILED') reject(fatalErrors.get(taskQueue));
  }, LOOK_MS);
  try {
    await Promise.race([worker.run(), failed]);
  } catch (error) {
    // The SDK holds its log lines back for a moment.
    Runtime.instance().flushLogs();
    const reason = fatalErrors.get(taskQueue) ?? error;
    throw new WorkerFailure(taskQueue, reason instanceof Error ? reason.message : 'its log lines may say why', { cause: reason });
  } finally {
    clearInterval(look);
  }
}

/** The latest error of each task queue's worker, which the SDK tells only its logger. */
const fatalErrors = new Map<unknown, unknown>();
