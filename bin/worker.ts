import { processConfig, type ReadyConfig, requireReady } from '../platform/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { startDatabaseReadings } from '../platform/metrics/database-readings.ts';
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import { serveMetrics } from '../platform/metrics/metrics-page.ts';
import { activityFields } from '../platform/temporal/activity-fields.ts';
import { connectClient, type LazyClient } from '../platform/temporal/connection.ts';
import { ensureReconcileSchedule } from '../platform/temporal/schedules.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { startWorkers } from '../platform/temporal/workers.ts';
import { startLeftIntentSweeper } from '../sending/left-intents.ts';
import { createSendPaces, type SendPaces } from '../sending/send-paces.ts';
import { startResultSweeper } from '../usecases/campaigns/result-sweeper.ts';
import { startImportFileSweeper } from '../usecases/contacts/import-file-sweeper.ts';
import { startFileSweeper } from '../usecases/files/file-sweeper.ts';
import { startProviderEventSweeper } from '../usecases/inbound/provider-event-sweeper.ts';
import { reportBounce } from '../usecases/inbound/report-bounce.ts';
import { startSearchEntrySweeper } from '../usecases/operations/search-entry-sweeper.ts';
import { startSegmentChangeSweeper } from '../usecases/segments/segment-change-sweeper.ts';
import { startSegmentEntrySweeper } from '../usecases/segments/segment-entry-sweeper.ts';
import { startDateEntrySweeper } from '../usecases/sequences/date-entry-sweeper.ts';
import { startSequenceEndingSweeper } from '../usecases/sequences/sequence-ending-sweeper.ts';
import { openProcessParts } from './process-parts.ts';
import { beside, type Running, runAsMain } from './run.ts';
import { createActivities } from './worker-activities.ts';

/** Connections to PostgreSQL beside one for each send at once. */
const OWN_CONNECTIONS = 10;

/**
 * Longer than anything that the worker asks in good order. What waits for a lock that nobody lets go of fails and is tried again later,
 * before those that come after it take every connection.
 */
const SESSION_LIMITS = { statement: 60_000, lock: 5_000, idleInTransaction: 30_000 } as const;

/** The worker process: workflow tasks, sends, and the outbox of whatever a crash left over. `paces`: of all that this process sends. */
export async function startWorker(
  config: ReadyConfig,
  processLog: Logger,
  metrics: Metrics,
  paces: SendPaces = createSendPaces(config),
): Promise<Running> {
  const parts = await openProcessParts({
    process: 'worker',
    config,
    log: processLog,
    metrics,
    paces,
    connections: config.sendConcurrency,
    database: { poolSize: OWN_CONNECTIONS + config.sendConcurrency, limits: SESSION_LIMITS },
    connectTemporal: () => connectPrepared(config),
  });
  const { orm, log, sending, now, newId } = parts;
  const { activities, atOnce, stop: stopTurns } = createActivities(parts, { config, metrics });
  const workers = await startWorkers(config, atOnce, log, activities);
  const rules = { journals: parts.journals, deduplicates: parts.providers.deduplicates, reportBounce };
  const sweepers = [
    startLeftIntentSweeper({ orm, log, metrics, batches: sending.leftBatches, ...rules }),
    startProviderEventSweeper({ orm, log, now, softBounceLimit: config.softBounceLimit }),
    startSequenceEndingSweeper({ orm, log, now }),
    startSegmentChangeSweeper({ orm, log }),
    startSegmentEntrySweeper({ orm, log, newId }),
    startDateEntrySweeper({ orm, log, newId }),
    startFileSweeper({ orm, log, metrics, objects: parts.objects }),
    startImportFileSweeper({ orm, log, files: parts.files, now }),
    startResultSweeper({ orm, log }),
    startSearchEntrySweeper({ orm, log }),
  ];
  const readings = config.metricsPort === undefined ? undefined : startDatabaseReadings({ orm, log, metrics });
  if (workers.metrics) metrics.append(workers.metrics.text);
  log.info('worker.started', { sendConcurrency: config.sendConcurrency });
  return {
    failed: workers.failed,
    async stop() {
      stopTurns();
      await workers.stop();
      for (const sweeper of sweepers) await sweeper.stop();
      await readings?.stop();
      await parts.stop();
      log.info('worker.stopped');
    },
  };
}

/** A client of a server that has what workflows search by, and the schedule of reconcile. */
async function connectPrepared(config: ReadyConfig): Promise<LazyClient> {
  const temporal = await connectClient(config);
  await registerSearchAttributes(temporal.client.connection, temporal.namespace);
  await ensureReconcileSchedule(temporal.client);
  return temporal;
}

if (import.meta.main) {
  await runAsMain(async () => {
    const config = requireReady(processConfig());
    const log = createLogger(config.logLevel, { process: 'worker' }, activityFields);
    const metrics = createMetrics({ ofProcess: config.metricsPort !== undefined });
    return beside(await serveMetrics(config, log, metrics.page), () => startWorker(config, log, metrics));
  });
}
