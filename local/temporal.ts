import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../platform/config-error.ts';
import { type LazyClient, lazyClient } from '../platform/temporal/connection.ts';
import { registerSearchAttributes, searchAttributeNames } from '../platform/temporal/search-attributes.ts';
import { endLeftover, type GuardedProcess, startGuarded } from './guarded-process.ts';
import { type Endpoint, freePort } from './ports.ts';
import type { Progress } from './progress.ts';

export interface RunningTemporal {
  /** host:port of the gRPC service. */
  readonly address: string;
  readonly process: GuardedProcess;
}

export interface TemporalOptions {
  readonly binary: string;
  /** Holds the log, and the server's state unless it is kept in memory. */
  readonly dataDir: string;
  /** Where the server's own page listens, which answers whoever asks; undefined: no page. */
  readonly ui: Endpoint | undefined;
  /** Of 127.0.0.1; any free one unless told. */
  readonly port?: number;
  readonly progress: Progress;
  readonly inMemory?: boolean;
  /** Dynamic configuration beside our own. Values are JSON. */
  readonly settings?: Readonly<Record<string, string>>;
}

const START_TIMEOUT_MS = 60_000;

/**
 * How long closed workflows are kept. The server's own day is too short: what closed while everything was stopped would be gone before
 * reconcile has read how it ended, and be started again.
 */
const KEPT_SECONDS = 7 * 86_400;

/** What Everpost asks of any Temporal server's dynamic config; docker-compose.yml has the same. Values are JSON. */
export const NEEDED_CONFIG = {
  // One project's campaign must not keep another project's mail waiting.
  'matching.enableFairness': 'true',
  // Priorities hold within a partition: of four, a single change waits in its own behind whatever the workers happen to poll. What an earlier
  // version has left in the others is still read.
  'matching.numTaskqueueWritePartitions': '1',
  // Activities handed out eagerly go around fairness and rate limits.
  'system.enableActivityEagerExecution': 'false',
  // The columns have 255 characters.
  'limit.maxIDLength': '255',
};

/** And of one that serves a single machine. */
const LOCAL_CONFIG = {
  'frontend.enableServerVersionCheck': 'false',
  // Its second API, over HTTP, cannot be switched off, and would answer a page on the internet that finds its port: it answers under no name.
  'frontend.httpAllowedHosts': '["nobody.invalid"]',
  'frontend.namespaceRPS': '20000',
  'frontend.namespaceRPS.visibility': '100',
};

/** Starts the development server on a free port of 127.0.0.1 and waits until its namespace answers. */
export async function startTemporal({
  binary,
  dataDir,
  ui,
  port: wanted,
  progress,
  inMemory = false,
  settings,
}: TemporalOptions): Promise<RunningTemporal> {
  const database = join(dataDir, 'temporal.db');
  const pidFile = join(dataDir, 'temporal.pid');
  if (!inMemory) {
    await endLeftover(pidFile, database, { stop: 'SIGTERM', hard: 'SIGKILL' });
    await closeToOthers(database);
  }
  progress('starting the Temporal server');
  const port = wanted ?? (await freePort());
  const server = startGuarded({
    name: 'the Temporal server',
    command: binary,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn', '--log-format', 'json'],
      ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
      ...(inMemory ? [] : ['--db-filename', database, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL']),
      ...searchAttributeNames.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ...Object.entries({ ...NEEDED_CONFIG, ...LOCAL_CONFIG, ...settings }).flatMap(([name, value]) => [
        '--dynamic-config-value',
        `${name}=${value}`,
      ]),
    ],
    logFile: join(dataDir, 'temporal.log'),
    pidFile,
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 15,
  });
  const address = `127.0.0.1:${port}`;
  try {
    await answers(server, address);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { address, process: server };
}

/** What an earlier release has made for everybody to read. */
async function closeToOthers(database: string): Promise<void> {
  for (const file of [database, `${database}-wal`, `${database}-shm`]) await chmod(file, 0o600).catch(() => undefined);
}

async function answers(server: GuardedProcess, address: string): Promise<void> {
  const temporal = lazyClient({ temporalAddress: address, temporalEmbedded: true });
  const deadline = Date.now() + START_TIMEOUT_MS;
  try {
    for (;;) {
      try {
        await temporal.check(1_000);
        await keepClosed(temporal);
        return await registerSearchAttributes(temporal.connection, temporal.namespace);
      } catch (error) {
        if (!server.running) throw new ConfigError(`the Temporal server did not start: ${server.lastWords()}`);
        if (Date.now() > deadline)
          throw new ConfigError(`the Temporal server did not answer within a minute (${(error as Error).message}):\n${server.lastLines()}`);
      }
      await sleep(100);
    }
  } finally {
    await temporal.close();
  }
}

async function keepClosed({ connection, namespace }: LazyClient): Promise<void> {
  const workflowExecutionRetentionTtl = { seconds: KEPT_SECONDS as never };
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
}
