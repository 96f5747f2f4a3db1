import type { AddressInfo } from 'node:net';
import { createApp } from '../api/app.ts';
import { createRateLimit } from '../api/middleware/rate-limit.ts';
import { REQUEST_SECONDS } from '../api/middleware/time-limit.ts';
import { createProbe } from '../api/probe.ts';
import type { ApiServices } from '../api/route.ts';
import { answerUnread } from '../api/unread-request.ts';
import { pingDatabase } from '../db/queries/operations/ping.ts';
import type { ReadyConfig } from '../platform/config.ts';
import { warnAboutConfig } from '../platform/config-warnings.ts';
import { checkUrlForm } from '../platform/http/url-form.ts';
import { listen } from '../platform/http-server.ts';
import { amazonSnsClient } from '../platform/inbound/sns-client.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { lazyClient } from '../platform/temporal/connection.ts';
import { createSendPaces, type SendPaces } from '../sending/send-paces.ts';
import { createHitCounter, type HitCounter } from '../usecases/sends/hit-counter.ts';
import { createEndpointKeys } from '../webhooks/endpoint-keys.ts';
import { createPing } from '../webhooks/ping.ts';
import { openProcessParts, type ProcessParts } from './process-parts.ts';

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

/** The API in this process. It starts and accepts while Temporal is down; the outbox waits. `paces`: of all that this process sends. */
export async function startApi(
  config: ReadyConfig,
  processLog: Logger,
  metrics: Metrics,
  paces: SendPaces = createSendPaces(config),
): Promise<RunningApi> {
  const parts = await openProcessParts({
    process: 'api',
    config,
    log: processLog,
    metrics,
    paces,
    connections: PROVIDER_CONNECTIONS,
    database: {
      poolSize: databaseConnections(config.apiProcesses),
      limits: { statement: REQUEST_SECONDS * 1000, idleInTransaction: REQUEST_SECONDS * 1000 },
    },
    connectTemporal: async () => lazyClient(config),
  });
  const { orm, log } = parts;
  const hits = createHitCounter({ orm, log });
  const app = createApp({
    orm,
    log,
    metrics,
    rateLimit: createRateLimit(config.rateLimitBurst, config.rateLimitPerSecond),
    trustedProxies: config.trustedProxies,
    services: servicesFrom(parts, hits, config),
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
      await parts.stop();
      log.info('api.stopped');
    },
  };
}

function servicesFrom(parts: ProcessParts, hits: HitCounter, config: ReadyConfig): ApiServices {
  const { orm, temporal, vault, registry, sending, authoring, contents, files, http, readRecords, now, newId } = parts;
  return {
    vault,
    registry,
    sending,
    authoring,
    contents,
    files,
    filesKeptMs: config.filesKeptMs,
    hits,
    publicUrl: config.publicUrl,
    temporalWebUrl: config.temporalUiUrl && `${config.temporalUiUrl}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows`,
    mailboxUrl: config.mailboxUrl,
    readRecords,
    spfInclude: config.spfInclude,
    trackingHost: config.trackingHost,
    returnPathHost: config.returnPath?.host,
    now,
    newId,
    sns: amazonSnsClient(now),
    softBounceLimit: config.softBounceLimit,
    checkWebhookUrl: (url) => checkUrlForm(url, { allowPrivate: config.webhookAllowPrivate }),
    pingWebhook: createPing({ http, keys: createEndpointKeys(vault), log: parts.log, now, newId }),
    probes: { database: createProbe(() => pingDatabase(orm.em.fork())), temporal: createProbe(() => temporal.check()) },
  };
}

function databaseConnections(processes: number): number {
  const { most, least } = DATABASE_CONNECTIONS;
  return Math.max(least, Math.min(most, Math.floor(DATABASE_CONNECTIONS_IN_ALL / processes)));
}
