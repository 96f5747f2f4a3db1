import { hostname } from 'node:os';
import { join } from 'node:path';
import { createKeyLookup } from '../api/admission.ts';
import { createRateLimit } from '../api/middleware/rate-limit.ts';
import { REQUEST_SECONDS } from '../api/middleware/time-limit.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { DEFAULT_SMTP_PORT, processConfig, type ReadyConfig, requireReady } from '../platform/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import { serveMetrics } from '../platform/metrics/metrics-page.ts';
import { watchThreads } from '../platform/metrics/watch-threads.ts';
import { lazyClient } from '../platform/temporal/connection.ts';
import { createSendPaces, type SendPaces } from '../sending/send-paces.ts';
import { createAcceptance } from '../smtp/acceptance.ts';
import { openEntrance } from '../smtp/entrance.ts';
import { createLogins } from '../smtp/logins.ts';
import { createMessageReader } from '../smtp/message-reader.ts';
import { createReturnedMail } from '../smtp/returned-mail.ts';
import { openSpool, type Spool } from '../smtp/spool.ts';
import { readTlsFiles, watchTlsFiles } from '../smtp/tls-files.ts';
import { openProcessParts, type ProcessParts } from './process-parts.ts';
import { beside, type Running, runAsMain } from './run.ts';

/** Connections to PostgreSQL; none is held while the provider answers. */
const DATABASE_CONNECTIONS = 10;
/** Mails that are submitted at the same time. */
const PROVIDER_CONNECTIONS = 50;

export interface RunningSmtp extends Running {
  /** host:port. */
  readonly address: string;
}

/** The SMTP entrance in this process. It starts and accepts while Temporal is down. `paces`: of all that this process sends. */
export async function startSmtp(
  config: ReadyConfig,
  processLog: Logger,
  metrics: Metrics,
  paces: SendPaces = createSendPaces(config),
): Promise<RunningSmtp> {
  const { smtp } = config;
  const tls = smtp.tlsFiles && (await readTlsFiles(smtp.tlsFiles));
  const parts = await openProcessParts({
    process: 'smtp',
    config,
    log: processLog,
    metrics,
    paces,
    connections: PROVIDER_CONNECTIONS,
    database: { poolSize: DATABASE_CONNECTIONS, limits: { statement: REQUEST_SECONDS * 1000, idleInTransaction: REQUEST_SECONDS * 1000 } },
    connectTemporal: async () => lazyClient(config),
  });
  const { log } = parts;
  const folder = join(config.dataDir, 'smtp');
  const reader = createMessageReader({ log, folder });
  let spool: Spool | undefined;
  try {
    spool = await openSpool({ folder, log });
    watchThreads(metrics, 'messages', reader.use);
    const port = smtp.port ?? DEFAULT_SMTP_PORT;
    const entrance = await openEntrance(
      { ...smtp, port, tls, name: hostname(), mostConnections: smtp.connections },
      { ...entranceParts(config, parts, reader), spool, log, metrics },
    );
    const renewal = tls && smtp.tlsFiles && watchTlsFiles(smtp.tlsFiles, tls, { log, renewed: entrance.renew });
    const address = `${smtp.host.includes(':') ? `[${smtp.host}]` : smtp.host}:${entrance.port}`;
    log.info('smtp.started', { address, tls: tls ? (smtp.isImplicit ? 'implicit' : 'starttls') : 'none', ...HOW_TO_LOG_IN });
    return {
      address,
      async stop() {
        await entrance.stop();
        await renewal?.stop();
        await spool?.close();
        await reader.close();
        await parts.stop();
        log.info('smtp.stopped');
      },
    };
  } catch (error) {
    await spool?.close();
    await reader.close();
    await parts.stop();
    throw error;
  }
}

const HOW_TO_LOG_IN = { user: "the project's slug", password: 'an API key with the scope send' };

function entranceParts(config: ReadyConfig, parts: ProcessParts, reader: ReturnType<typeof createMessageReader>) {
  const { orm, log, registry, contents, sending, files, vault, now } = parts;
  const { filesKeptMs, returnPath, softBounceLimit } = config;
  const lookUp = createKeyLookup(orm, now);
  const lookUpFailed = (error: unknown): void => {
    if (isDatabaseUnavailable(error)) log.warn('smtp.without_database', { error });
    else log.error('smtp.login_failed', { error });
  };
  const rateLimit = createRateLimit(config.rateLimitBurst, config.rateLimitPerSecond);
  return {
    logins: createLogins(lookUp, lookUpFailed),
    returnedMail: returnPath && createReturnedMail({ orm, vault, returnPath, log, now, softBounceLimit }),
    acceptance: createAcceptance({ orm, log, lookUp, rateLimit, registry, contents, sending, reader, files, filesKeptMs, now }),
  };
}

if (import.meta.main) {
  await runAsMain(async () => {
    const config = requireReady(processConfig());
    const log = createLogger(config.logLevel, { process: 'smtp' });
    const metrics = createMetrics({ ofProcess: config.metricsPort !== undefined });
    return beside(await serveMetrics(config, log, metrics.page), () => startSmtp(config, log, metrics));
  });
}
