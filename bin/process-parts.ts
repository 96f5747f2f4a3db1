import { v7 as uuidv7 } from 'uuid';
import { type MikroORM, openDatabase, type SessionLimits } from '../db/orm.ts';
import { pingDatabase } from '../db/queries/operations/ping.ts';
import { createVault, type Vault } from '../domain/projects/crypto.ts';
import type { ReadyConfig } from '../platform/config.ts';
import { createDatabaseOutages } from '../platform/database-outage.ts';
import { createDns } from '../platform/dns/dns.ts';
import { createSafeHttp, type SafeHttp } from '../platform/http/safe-http.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { startReconcileAge } from '../platform/metrics/reconcile-age.ts';
import { watchConnections } from '../platform/metrics/watch-connections.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import { startOutboxDispatcher } from '../platform/outbox-dispatcher.ts';
import type { LazyClient } from '../platform/temporal/connection.ts';
import { dispatchMessage } from '../platform/temporal/driver.ts';
import { type Authoring, createAuthoring } from '../sending/compose/authoring.ts';
import { compileRegistry } from '../sending/compose/compile-registry.ts';
import { createOwnContents, type OwnContents } from '../sending/compose/own-contents.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { SendPaces } from '../sending/send-paces.ts';
import type { OpenFile } from '../sending/with-files.ts';
import type { ReadRecords } from '../usecases/domains/check-domain.ts';
import { createReadRecords } from '../usecases/domains/read-records.ts';
import { createFileStore, type FileStore } from '../usecases/files/file-store.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { openSendPath, type SendPath } from './send-path.ts';

/** A question of DNS, whatever it takes. A request of the API asks several at a time. */
const DNS_MS = 5_000;

/** What the parts of one process are made from. */
export interface ProcessPartsDeps {
  readonly process: 'api' | 'worker' | 'smtp';
  readonly config: ReadyConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Of all that this process sends. */
  readonly paces: SendPaces;
  /** To the mail provider. */
  readonly connections: number;
  readonly database: { readonly poolSize: number; readonly limits: SessionLimits };
  connectTemporal(): Promise<LazyClient>;
}

/** What the API and a worker are both made of. */
export interface ProcessParts extends SendPath {
  /** The process's own, which tells of an outage of the database once. */
  readonly log: Logger;
  readonly orm: MikroORM;
  readonly temporal: LazyClient;
  readonly vault: Vault;
  readonly registry: TemplateRegistry;
  readonly authoring: Authoring;
  readonly contents: OwnContents;
  /** Bytes of files, by project and hash. */
  readonly files: FileStore;
  /** Where they are; what sweeps removes there. */
  readonly objects: ObjectStore;
  readonly http: SafeHttp;
  readonly readRecords: ReadRecords;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Closes in order; whatever asks these parts has to be stopped before. */
  stop(): Promise<void>;
}

/** Opens them, and begins to bring the outbox to Temporal. Throws ConfigError for what a person has to mend. */
export async function openProcessParts(deps: ProcessPartsDeps): Promise<ProcessParts> {
  const { config, metrics, paces, connections } = deps;
  await requireOwnSessions(config.databaseUrl);
  const outages = createDatabaseOutages(deps.log, () => pingDatabase(orm.em.fork()));
  const { log } = outages;
  const registry = await compileRegistry(config, log);
  const authoring = createAuthoring({ log });
  const temporal = await deps.connectTemporal();
  const orm = await openDatabase({
    ...deps.database,
    url: config.databaseUrl,
    webhookBurstAt: config.webhookBurstAt,
    applicationName: `everpost-${deps.process}`,
  });
  const vault = createVault(config.secretKey, config.previousSecretKeys);
  const objects = await openObjectStore(config, log);
  const [now, newId] = [() => new Date(), () => uuidv7()];
  const files = createFileStore({ objects, dataDir: config.dataDir, log, now, newId });
  const openFile: OpenFile = (projectId, sha256) => files.open(orm.em.fork(), projectId, sha256);
  const sendPath = await openSendPath({ config, orm, vault, authoring, openFile, log, metrics, paces, connections });
  watchConnections(metrics, deps.process, orm);
  const http = createSafeHttp({ allowPrivate: config.webhookAllowPrivate });
  const dns = createDns({ servers: config.dnsServers, timeoutMs: DNS_MS });
  const outbox = startOutboxDispatcher({
    orm,
    log,
    deliver: (workflowId, message) => dispatchMessage(temporal.client, workflowId, message),
  });
  const reconcileAge = config.metricsPort === undefined ? undefined : startReconcileAge({ orm, log, metrics, part: deps.process });
  return {
    ...sendPath,
    log,
    orm,
    temporal,
    vault,
    registry,
    authoring,
    contents: createOwnContents(authoring),
    files,
    objects,
    http,
    readRecords: createReadRecords(dns),
    now,
    newId,
    async stop() {
      await outbox.stop();
      await reconcileAge?.stop();
      await sendPath.sending.close();
      await authoring.close();
      await files.close();
      await objects.close();
      http.close();
      await temporal.close();
      await outages.stop();
      await orm.close();
    },
  };
}
