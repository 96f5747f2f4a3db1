import { v7 as uuidv7 } from 'uuid';
import { createCampaignActivities } from '../activities/campaign.ts';
import { createEnrollmentActivities } from '../activities/enrollment.ts';
import { createReconcileActivities } from '../activities/reconcile.ts';
import { createWebhookActivities } from '../activities/webhook-delivery.ts';
import { openDatabase } from '../db/orm.ts';
import { pingDatabase } from '../db/queries/operations/ping.ts';
import { createVault } from '../domain/projects/crypto.ts';
import { CALLS_AT_ONCE, CALLS_WAITING } from '../domain/webhooks/delivery.ts';
import { processConfig, type ReadyConfig, requireReady } from '../platform/config.ts';
import { createDatabaseOutages } from '../platform/database-outage.ts';
import { createSafeHttp } from '../platform/http/safe-http.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { startDatabaseReadings } from '../platform/metrics/database-readings.ts';
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import { serveMetrics } from '../platform/metrics/metrics-page.ts';
import { startReconcileAge } from '../platform/metrics/reconcile-age.ts';
import { watchConnections } from '../platform/metrics/watch-connections.ts';
import { startOutboxDispatcher } from '../platform/outbox-dispatcher.ts';
import { createSlots } from '../platform/slots.ts';
import { activityFields } from '../platform/temporal/activity-fields.ts';
import { connectClient } from '../platform/temporal/connection.ts';
import { dispatchMessage } from '../platform/temporal/driver.ts';
import { ensureReconcileSchedule } from '../platform/temporal/schedules.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { startWorkers } from '../platform/temporal/workers.ts';
import { createCampaignSenders } from '../sending/campaign-sender.ts';
import { createAuthoring } from '../sending/compose/authoring.ts';
import { compileRegistry } from '../sending/compose/compile-registry.ts';
import { createInFlight } from '../sending/in-flight.ts';
import { startLeftIntentSweeper } from '../sending/left-intents.ts';
import { shareOfQueue } from '../sending/local-activity-slots.ts';
import { createSendPace, type SendPace } from '../sending/send-pace.ts';
import { startProviderEventSweeper } from '../usecases/inbound/provider-event-sweeper.ts';
import { reportBounce } from '../usecases/inbound/report-bounce.ts';
import { startSequenceEndingSweeper } from '../usecases/sequences/sequence-ending-sweeper.ts';
import { createAttempts } from '../webhooks/attempts.ts';
import { createBursts } from '../webhooks/burst.ts';
import { createEndpointKeys } from '../webhooks/endpoint-keys.ts';
import { FairSlots } from '../webhooks/fair-slots.ts';
import { createNodeCalls } from '../webhooks/node-calls.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { beside, type Running, runAsMain } from './run.ts';
import { openSendPath } from './send-path.ts';

/** Connections to PostgreSQL beside one for each send at once. */
const OWN_CONNECTIONS = 10;

/** Senders of campaigns at once: so many for each connection to the provider, and enough that several campaigns have theirs. */
const SENDERS_A_CONNECTION = 2;
const FEWEST_SENDERS = 16;

/**
 * Longer than anything that the worker asks in good order. What waits for a lock that nobody lets go of fails and is tried again later,
 * before those that come after it take every connection.
 */
const SESSION_LIMITS = { statement: 60_000, lock: 5_000, idleInTransaction: 30_000 } as const;

/** The worker process: workflow tasks, sends, and the outbox of whatever a crash left over. `pace`: of all that this process sends. */
export async function startWorker(
  config: ReadyConfig,
  processLog: Logger,
  metrics: Metrics,
  pace: SendPace = createSendPace(config.sendRatePerSecond),
): Promise<Running> {
  await requireOwnSessions(config.databaseUrl);
  const outages = createDatabaseOutages(processLog, () => pingDatabase(orm.em.fork()));
  const { log } = outages;
  const registry = await compileRegistry(config, log);
  const authoring = createAuthoring({ log });
  const temporal = await connectClient(config);
  await registerSearchAttributes(temporal.client.connection, temporal.namespace);
  await ensureReconcileSchedule(temporal.client);
  const orm = await openDatabase({
    url: config.databaseUrl,
    poolSize: OWN_CONNECTIONS + config.sendConcurrency,
    limits: SESSION_LIMITS,
    webhookBurstAt: config.webhookBurstAt,
    applicationName: 'everpost-worker',
  });
  const now = (): Date => new Date();
  const newId = (): string => uuidv7();
  const vault = createVault(config.secretKey, config.previousSecretKeys);
  const connections = config.sendConcurrency;
  const { sending, provider, journals } = await openSendPath({ config, orm, vault, authoring, log, metrics, pace, connections });
  watchConnections(metrics, 'worker', orm);
  const queued = shareOfQueue(config.sendConcurrency, config.sendRatePerSecond);
  const inFlight = createInFlight({ connections: config.sendConcurrency, pace });
  const http = createSafeHttp({ allowPrivate: config.webhookAllowPrivate });
  const slots = new FairSlots({ total: CALLS_AT_ONCE, mostWaiting: CALLS_WAITING, perEndpoint: config.webhookEndpointConcurrency });
  const enrollment = createEnrollmentActivities({
    orm,
    sending,
    registry,
    vault,
    http,
    slots,
    calls: createNodeCalls({ log, metrics, now }),
    localSlots: createSlots(config.sendConcurrency - queued),
    yieldToRuns: inFlight.yieldToRuns,
    webhookNodeRetryBaseSeconds: config.webhookNodeRetryBaseSeconds,
    now,
    newId,
  });
  const sendersAtOnce = Math.max(FEWEST_SENDERS, config.sendConcurrency * SENDERS_A_CONNECTION);
  const senders = createCampaignSenders({ em: orm.em.fork(), sending, registry, inFlight, places: sendersAtOnce, newId });
  const campaign = createCampaignActivities({ orm, senders, registry, leftBatches: sending.leftBatches, now });
  const attempts = createAttempts({
    em: orm.em.fork(),
    http,
    keys: createEndpointKeys(vault),
    slots,
    retryBaseSeconds: config.webhookRetryBaseSeconds,
    log,
    metrics,
    now,
    newId,
  });
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now, newId });
  const webhooks = createWebhookActivities({ orm, attempts, bursts });
  const reconcile = createReconcileActivities({ orm, client: temporal.client, log, metrics, now, newId });
  const atOnce = { queuedSends: queued, senders: sendersAtOnce };
  const workers = await startWorkers(config, atOnce, log, { ...enrollment, ...campaign, ...webhooks, ...reconcile });
  const outbox = startOutboxDispatcher({
    orm,
    log,
    deliver: (workflowId, message) => dispatchMessage(temporal.client, workflowId, message),
  });
  const rules = { journals, deduplicates: provider.idempotent, reportBounce };
  const sweeper = startLeftIntentSweeper({ orm, log, metrics, batches: sending.leftBatches, ...rules });
  const providerEvents = startProviderEventSweeper({ orm, log, now, softBounceLimit: config.softBounceLimit });
  const sequenceEndings = startSequenceEndingSweeper({ orm, log, now });
  const readings = config.metricsPort === undefined ? undefined : startDatabaseReadings({ orm, log, metrics });
  const reconcileAge = config.metricsPort === undefined ? undefined : startReconcileAge({ orm, log, metrics, part: 'worker' });
  if (workers.metrics) metrics.append(workers.metrics.text);
  log.info('worker.started', { sendConcurrency: config.sendConcurrency });
  return {
    failed: workers.failed,
    async stop() {
      senders.stop();
      bursts.stop();
      await workers.stop();
      await outbox.stop();
      await sweeper.stop();
      await providerEvents.stop();
      await sequenceEndings.stop();
      await readings?.stop();
      await reconcileAge?.stop();
      await sending.close();
      await authoring.close();
      http.close();
      await temporal.close();
      await outages.stop();
      await orm.close();
      log.info('worker.stopped');
    },
  };
}

if (import.meta.main) {
  await runAsMain(async () => {
    const config = requireReady(processConfig());
    const log = createLogger(config.logLevel, { process: 'worker' }, activityFields);
    const metrics = createMetrics({ ofProcess: config.metricsPort !== undefined });
    return beside(await serveMetrics(config, log, metrics.page), () => startWorker(config, log, metrics));
  });
}
