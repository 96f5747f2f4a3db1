import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from '../../api/app.ts';
import type { RateLimit } from '../../api/middleware/rate-limit.ts';
import { createProbe } from '../../api/probe.ts';
import { openDatabase } from '../../db/orm.ts';
import { pingDatabase } from '../../db/queries/operations/ping.ts';
import type { SnsClient } from '../../domain/inbound/proof.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import type { ReadRecords } from '../../usecases/domains/check-domain.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';

export interface InboundApiOptions {
  readonly sns?: SnsClient;
  /** What a look at Temporal brings; it answers when omitted. */
  readonly pingTemporal?: () => Promise<void>;
  readonly rateLimit?: RateLimit;
  /** The shared one when omitted. */
  readonly databaseUrl?: string;
  /** Gets what the API logs. */
  readonly log?: Logger;
  /** What DNS has. */
  readonly readRecords?: ReadRecords;
  readonly spfInclude?: string;
  readonly trackingHost?: string | undefined;
  readonly returnPathHost?: string | undefined;
  readonly now?: () => Date;
}

/** The API in this process on the shared database, with what the routes of provider events and of domains stand on and nothing else: it sends no mail. */
export async function startInboundApi(options: InboundApiOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { secretKey, apiUrl, ...shared } = testEnvironment();
  const { sns, log = createLogger('silent', {}), databaseUrl = shared.databaseUrl } = options;
  const orm = await openDatabase({ url: databaseUrl, poolSize: 5, patience: 30_000, applicationName: 'everpost-test-inbound' });
  const missing = () => {
    throw new Error('this API was given no such part');
  };
  const database = createProbe(() => pingDatabase(orm.em.fork()));
  // The first connection takes longer than a probe waits where much else is under way.
  if (options.databaseUrl === undefined) await eventually(async () => (await database()) === 'ok');
  const app = createApp({
    orm,
    log,
    metrics: createMetrics(),
    rateLimit: options.rateLimit,
    trustedProxies: undefined,
    services: {
      vault: createVault(Buffer.from(secretKey, 'base64')),
      registry: undefined as never,
      sending: undefined as never,
      authoring: undefined as never,
      contents: undefined as never,
      files: undefined as never,
      filesKeptMs: 0,
      hits: undefined as never,
      publicUrl: apiUrl,
      temporalWebUrl: undefined,
      mailboxUrl: undefined,
      readRecords: options.readRecords ?? missing,
      spfInclude: options.spfInclude,
      trackingHost: options.trackingHost,
      returnPathHost: options.returnPathHost,
      now: options.now ?? (() => new Date()),
      newId: () => uuidv7(),
      sns: sns ?? { signingKey: missing, confirm: missing },
      softBounceLimit: 1,
      checkWebhookUrl: () => undefined,
      pingWebhook: async () => undefined,
      probes: {
        database,
        temporal: createProbe(options.pingTemporal ?? (async () => {})),
      },
    },
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await orm.close();
    },
  };
}
