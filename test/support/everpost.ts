import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { createMigrated, dropDatabase } from './databases.ts';
import { testEnvironment } from './environment.ts';
import { spawnProgram, waitUntilReady } from './everpost-process.ts';
import { notedPid } from './noted-pid.ts';
import { createNamespace } from './temporal-namespace.ts';

export interface EverpostOptions {
  /** host:port through which API and worker reach Temporal, for example a proxy. */
  readonly temporalAddress?: string;
  /** host:port of a Temporal server of its own; the shared one when omitted. */
  readonly temporalServer?: string;
  /** host:port through which API and worker reach PostgreSQL. */
  readonly databaseAddress?: string;
  readonly smtpUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** false: the API alone. */
  readonly worker?: boolean;
}

/** API and worker of their own, with a database and a Temporal namespace of their own. */
export interface Everpost {
  readonly url: string;
  /** Straight to the server, not through a proxy. */
  readonly databaseUrl: string;
  readonly namespace: string;
  api: GuardedProcess;
  worker: GuardedProcess | undefined;
  /** One more worker, which `stop` ends as well; of another build when its folder is given. */
  addWorker(build?: string): ExtraWorker;
  /** SIGKILL to everything at once. */
  kill(): Promise<void>;
  /** Ends API and workers in order; the data stay. */
  halt(): Promise<void>;
  /** Starts again on the same data and address, with these settings changed from now on. */
  start(changes?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends everything in order and drops the database. */
  stop(): Promise<void>;
}

/** A worker beside the first. */
export interface ExtraWorker {
  readonly process: GuardedProcess;
  /** To the program itself, as an operator's `kill` does. */
  signal(name: NodeJS.Signals): Promise<void>;
}

/** Settings of the tests: one API process, no rate limit, webhooks to 127.0.0.1 allowed, short pauses. */
export const TEST_SETTINGS = {
  API_PROCESSES: '1',
  RATE_LIMIT_BURST: '0',
  WEBHOOK_ALLOW_PRIVATE: '1',
  WEBHOOK_RETRY_BASE_SECONDS: '0.2',
  LOG_LEVEL: 'info',
} as const;

/** Starts a pair that shares nothing with other tests but the servers. Stop it in afterAll. */
export async function startEverpost(options: EverpostOptions = {}): Promise<Everpost> {
  const shared = testEnvironment();
  const namespace = `test-${randomUUID()}`;
  const temporalServer = options.temporalServer ?? shared.temporalAddress;
  const [databaseUrl] = await Promise.all([createMigrated(shared.databaseUrl), createNamespace(temporalServer, namespace)]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const seen = new URL(databaseUrl);
  if (options.databaseAddress) seen.host = options.databaseAddress;
  const folder = await mkdtemp(join(shared.scratchDir, 'everpost-'));
  const env = {
    ...TEST_SETTINGS,
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    DATABASE_URL: seen.href,
    TEMPORAL_ADDRESS: options.temporalAddress ?? temporalServer,
    TEMPORAL_NAMESPACE: namespace,
    SECRET_KEY: shared.secretKey,
    EMAIL_PROVIDER_URL: options.smtpUrl ?? shared.smtpUrl,
    DNS_SERVERS: shared.nameServer,
    ...options.env,
  };
  const launch = () => ({
    api: spawnProgram('api', folder, env),
    worker: options.worker === false ? undefined : spawnProgram('worker', folder, env),
  });
  const extra: GuardedProcess[] = [];
  const running = (): GuardedProcess[] => [everpost.api, everpost.worker, ...extra].filter((program) => program !== undefined);
  const everpost: Everpost = {
    url,
    databaseUrl,
    namespace,
    ...launch(),
    addWorker(build) {
      const ownFolder = join(folder, `worker-${extra.length}`);
      const worker = spawnProgram('worker', ownFolder, env, build);
      extra.push(worker);
      return {
        process: worker,
        signal: async (name) => void process.kill(await notedPid(join(ownFolder, 'worker.pid')), name),
      };
    },
    async kill() {
      await Promise.all(running().map((program) => program.kill()));
    },
    async halt() {
      for (const program of running()) await program.stop();
    },
    async start(changes = {}) {
      Object.assign(env, changes);
      Object.assign(everpost, launch());
      await waitUntilReady(url, running());
    },
    async stop() {
      await everpost.halt();
      await dropDatabase(databaseUrl);
    },
  };
  await waitUntilReady(url, running()).catch(async (error) => {
    await everpost.stop();
    throw error;
  });
  return everpost;
}
