import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from '../api/app.ts';
import { createRateLimit } from '../api/middleware/rate-limit.ts';
import { REQUEST_SECONDS } from '../api/middleware/time-limit.ts';
import { createProbe } from '../api/probe.ts';
import { answerUnread } from '../api/unread-request.ts';
import { openDatabase } from '../db/orm.ts';
import { pingDatabase } from '../db/queries/operations/ping.ts';
import { createVault } from '../domain/projects/crypto.ts';
import type { ReadyConfig } from '../platform/config.ts';
import { warnAboutConfig } from '../platform/config-warnings.ts';
import { createDatabaseOutages } from '../platform/database-outage.ts';
import { createSafeHttp } from '../platform/http/safe-http.ts';
import { checkUrlForm } from '../platform/http/url-form.ts';
import { listen } from '../platform/http-server.ts';
import { amazonSnsClient } from '../platform/inbound/sns-client.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { startReconcileAge } from '../platform/metrics/reconcile-age.ts';
import { watchConnections } from '../platform/metrics/watch-connections.ts';
import { startOutboxDispatcher } from '../platform/outbox-dispatcher.ts';
import { lazyClient } from '../platform/temporal/connection.ts';
import { dispatchMessage } from '../platform/temporal/driver.ts';
import { createAuthoring } from '../sending/compose/authoring.ts';
import { compileRegistry } from '../sending/compose/compile-registry.ts';
import { createSendPace, type SendPace } from '../sending/send-pace.ts';
import { createHitCounter } from '../usecases/sends/hit-counter.ts';
import { createEndpointKeys } from '../webhooks/endpoint-keys.ts';
import { createPing } from '../webhooks/ping.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { openSendPath } from './send-path.ts';

/** Connections to PostgreSQL of one process; POST /send holds none while the provider answers. */
const DATABASE_CONNECTIONS = { most: 20, least: 5 } as const;
/** Of all processes of one start, so that many cores do not take everything that PostgreSQL allows by default. */
const DATABASE_CONNECTIONS_IN_ALL = 60;
/** Mails of POST /send that are submitted at the same time. */
const PROVIDER_CONNECTIONS = 50;

export interface RunningApi {
  readonly address: string;
  /** Ends open requests, then closes in order. */
  stop(): Promise<void>;
}

/** The API in this process. It starts and accepts while Temporal is down; the outbox waits. `pace`: of all that this process sends. */
export async function startApi(
  config: ReadyConfig,
  processLog: Logger,
  metrics: Metrics,
  pace: SendPace = createSendPace(config.sendRatePerSecond),
): Promise<RunningApi> {
  await requireOwnSessions(config.databaseUrl);
  const outages = createDatabaseOutages(processLog, () => pingDatabase(orm.em.fork()));
  const { log } = outages;
  const registry = await compileRegistry(config, log);
  const authoring = createAuthoring({ log });
  const orm = await openDatabase({
    url: config.databaseUrl,
    poolSize: databaseConnections(config.apiProcesses),
    limits: { statement: REQUEST_SECONDS * 1000, idleInTransaction: REQUEST_SECONDS * 1000 },
    webhookBurstAt: config.webhookBurstAt,
    applicationName: 'everpost-api',
  });
  const temporal = lazyClient(config);
  const vault = createVault(config.secretKey, config.previousSecretKeys);
  const now = (): Date => new Date();
  const newId = (): string => uuidv7();
  const connections = PROVIDER_CONNECTIONS;
  const { sending } = await openSendPath({ config, orm, vault, authoring, log, metrics, pace, connections });
  watchConnections(metrics, 'api', orm);
  const outbox = startOutboxDispatcher({
    orm,
    log,
    deliver: (workflowId, message) => dispatchMessage(temporal.client, workflowId, message),
  });
  const reconcileAge = config.metricsPort === undefined ? undefined : startReconcileAge({ orm, log, metrics, part: 'api' });
  const hits = createHitCounter({ orm, log });
  const http = createSafeHttp({ allowPrivate: config.webhookAllowPrivate });
  const app = createApp({
    orm,
    log,
    metrics,
    rateLimit: createRateLimit(config.rateLimitBurst, config.rateLimitPerSecond),
    trustedProxies: config.trustedProxies,
    services: {
      vault,
      registry,
      sending,
      authoring,
      hits,
      publicUrl: config.publicUrl,
      temporalWebUrl: config.temporalUiUrl && `${config.temporalUiUrl}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows`,
      now,
      newId,
      sns: amazonSnsClient(now),
      softBounceLimit: config.softBounceLimit,
      checkWebhookUrl: (url) => checkUrlForm(url, { allowPrivate: config.webhookAllowPrivate }),
      pingWebhook: createPing({ http, keys: createEndpointKeys(vault), now, newId }),
      probes: { database: createProbe(() => pingDatabase(orm.em.fork())), temporal: createProbe(() => temporal.check()) },
    },
  });
  const server = await listen(app.callback(), { port: config.port, host: config.host, portVariable: 'PORT', answerUnread });
  const { port } = server.address() as AddressInfo;
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  warnAboutConfig(config, log);
  log.info('api.started', { address });
  return {
    address,
    async stop() {
      await server.drain();
      await hits.stop();
      await outbox.stop();
      await reconcileAge?.stop();
      await sending.close();
      await authoring.close();
      http.close();
      await temporal.close();
      await outages.stop();
      await orm.close();
      log.info('api.stopped');
    },
  };
}

function databaseConnections(processes: number): number {
  const { most, least } = DATABASE_CONNECTIONS;
  return Math.max(least, Math.min(most, Math.floor(DATABASE_CONNECTIONS_IN_ALL / processes)));
}
