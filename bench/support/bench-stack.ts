import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { migrateUp } from '../../bin/migrate.ts';
import { openDatabase } from '../../db/orm.ts';
import { setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { createApiKey } from '../../db/queries/projects/api-keys.ts';
import { setBrand } from '../../db/queries/projects/brands.ts';
import { createProject } from '../../db/queries/projects/projects.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { clusterTemporal } from '../../local/temporal-build.ts';
import { processConfig } from '../../platform/config.ts';
import { composePostgresSettings } from '../../test/support/compose.ts';
import { eventually } from '../../test/support/eventually.ts';
import { spawnProgram, waitUntilReady } from '../../test/support/everpost-process.ts';
import { temporalOnPostgres } from '../../test/support/temporal-on-postgres.ts';
import { saveTemplateSetting } from '../../usecases/templates/save-template-setting.ts';
import { cpuSeconds, peakMemoryMb } from './cpu.ts';
import { LETTERS_DIR } from './letter.ts';
import { type BenchSink, startSink } from './sink.ts';

/** A project with a brand, a verified sending domain and no other data; the key has every scope. */
export interface BenchProject {
  readonly apiUrl: string;
  readonly key: string;
  readonly projectId: string;
}

export interface BenchStack extends BenchProject {
  /** What the API runs with, for further programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  /** Nobody listens there unless the stack has workflows. */
  readonly temporalAddress: string;
  readonly sink: BenchSink;
  /** For files of further programs; removed with the stack. */
  readonly folder: string;
  /** The most memory that each process has had so far, in MB: api, worker, worker2 … */
  peakMemory(): Promise<Readonly<Record<string, number>>>;
  /** CPU seconds of each process, and of this one as "client", since it started. */
  cpu(): Promise<CpuSeconds>;
  /** Beside the one that is there. */
  addProject(slug: string): Promise<BenchProject>;
  stop(): Promise<void>;
}

/** 0 for what a stack is without. The processes that one starts count as it. */
export type CpuSeconds = Readonly<Record<'api' | 'worker' | 'temporal' | 'postgres' | 'sink' | 'client', number>>;

export interface BenchStackOptions {
  /** Enabled in the project. */
  readonly template?: string | undefined;
  /** Where the API and the worker write a CPU profile when they end. */
  readonly profileDir?: string | undefined;
  /** Temporal and a worker too. */
  readonly workflows?: boolean;
  /**
   * Temporal as docker-compose.yml runs it, on the same PostgreSQL and with so many history shards, instead of the development server
   * of `npm start`.
   */
  readonly shards?: number | undefined;
  /** Worker processes, where there are workflows: 1 unless told. */
  readonly workers?: number;
  /** SEND_CONCURRENCY of each worker: its own default unless told. */
  readonly connections?: number | undefined;
  /** What the sink takes for each mail. */
  readonly sinkLatencyMs?: number | undefined;
  /** false: PostgreSQL and the sink only. */
  readonly api?: boolean;
  /** Further variables of the API and the workers. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Processes that share the API's port; undefined: as many as it takes by itself. */
  readonly apiProcesses?: number | undefined;
  readonly progress: (line: string) => void;
}

/**
 * A durable PostgreSQL, the API with its rate limit off, and the sink, all in a folder of their own; Temporal and a worker only where what
 * is measured passes through them.
 */
export async function startBenchStack(options: BenchStackOptions): Promise<BenchStack> {
  const {
    template,
    profileDir,
    workflows = false,
    shards,
    workers = 1,
    connections,
    api: withApi = true,
    apiProcesses,
    settings,
    sinkLatencyMs,
    progress,
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-'));
  const started: GuardedProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    progress('building and starting the sink');
    const sink = await startSink(folder, sinkLatencyMs);
    started.push(sink.process);
    const postgres = await startPostgres({ dataDir: folder, progress, settings: composePostgresSettings() });
    started.push(postgres.process);
    await migrateUp(postgres.url);
    const secretKey = randomBytes(32);
    const port = await freePort();
    const apiUrl = `http://127.0.0.1:${port}`;
    const addProject = async (slug: string) => ({ apiUrl, ...(await createBenchProject(postgres.url, secretKey, slug, template)) });
    const project = await addProject('bench');
    const temporal = workflows ? await startBenchTemporal({ folder, databaseUrl: postgres.url, shards, progress }) : undefined;
    if (temporal) started.push(temporal.process);
    const temporalAddress = temporal?.address ?? `127.0.0.1:${await freePort()}`;
    const profiled = profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` };
    const env = {
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporalAddress,
      SECRET_KEY: secretKey.toString('base64'),
      EMAIL_PROVIDER_URL: sink.smtpUrl,
      RATE_LIMIT_BURST: '0',
      TEMPLATES_DIR: LETTERS_DIR,
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      ...settings,
    };
    const api = withApi
      ? spawnProgram('api', folder, {
          ...env,
          ...(apiProcesses === undefined ? {} : { API_PROCESSES: String(apiProcesses) }),
          ...profiled,
        })
      : undefined;
    if (api) started.push(api);
    const workerFolders = workflows
      ? Array.from({ length: workers }, (_, index) => (index === 0 ? folder : join(folder, `worker${index + 1}`)))
      : [];
    const concurrency = connections === undefined ? {} : { SEND_CONCURRENCY: String(connections) };
    for (const each of workerFolders) started.push(spawnProgram('worker', each, { ...env, ...concurrency, ...profiled }));
    if (api) await waitUntilListening(apiUrl, api);
    if (api && workflows) await waitUntilReady(apiUrl, [api]);
    const pidOf = async (name: string, of = folder): Promise<number> => Number(await readFile(join(of, `${name}.pid`), 'utf8'));
    const usedBy = async (name: string, of = folder): Promise<number> => cpuSeconds(await pidOf(name, of));
    return {
      ...project,
      env,
      databaseUrl: postgres.url,
      temporalAddress,
      sink,
      folder,
      async peakMemory() {
        const workersMb = await Promise.all(workerFolders.map(async (each) => peakMemoryMb(await pidOf('worker', each))));
        return {
          ...(api ? { api: await peakMemoryMb(await pidOf('api')) } : {}),
          ...Object.fromEntries(workersMb.map((mb, index) => [index === 0 ? 'worker' : `worker${index + 1}`, mb])),
        };
      },
      async cpu() {
        const { user, system } = process.cpuUsage();
        return {
          api: api ? await usedBy('api') : 0,
          worker: (await Promise.all(workerFolders.map((each) => usedBy('worker', each)))).reduce((sum, used) => sum + used, 0),
          temporal: workflows ? await usedBy('temporal') : 0,
          postgres: await usedBy('postgres'),
          sink: await usedBy('sink'),
          client: (user + system) / 1e6,
        };
      },
      addProject,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Not /ready, which waits for Temporal. */
async function waitUntilListening(apiUrl: string, api: GuardedProcess): Promise<void> {
  const answers = async () => (await fetch(`${apiUrl}/health`)).ok || (await fetch(`${apiUrl}/api/v1/health`)).ok;
  await eventually(answers, { timeoutMs: 30_000 }).catch(() => {
    throw new Error(`the API did not start:\n${api.lastLines()}`);
  });
}

async function startBenchTemporal({
  folder,
  databaseUrl,
  shards,
  progress,
}: { folder: string; databaseUrl: string } & Pick<BenchStackOptions, 'shards' | 'progress'>): Promise<RunningTemporal> {
  const config = processConfig();
  const cli = await temporalBinary(config, progress);
  if (shards === undefined) return startTemporal({ binary: cli, dataDir: folder, ui: undefined, progress });
  const programs = await clusterTemporal(config.userCacheDir, progress);
  const { temporal, process } = await temporalOnPostgres({ programs, cli, databaseUrl, folder, shards });
  return { address: temporal.address, process };
}

async function createBenchProject(databaseUrl: string, secretKey: Buffer, slug: string, template: string | undefined) {
  const orm = await openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'everpost-bench' });
  try {
    const em = orm.em.fork();
    const { id } = await createProject(em, createVault(secretKey), {
      id: uuidv7(),
      slug,
      from: `hello@${slug}.example`,
      fromName: 'The Bench',
    });
    await setBrand(em, id, slug, { address: '1 Bench Street, Testville' }, true);
    await setSendingDomain(em, { id: uuidv7(), projectId: id, domain: `${slug}.example`, verified: true });
    if (template !== undefined) {
      const enabled = { enabled: true, subject: undefined, from: undefined };
      await saveTemplateSetting(em, { projectId: id, brand: slug, template }, enabled);
    }
    const { key } = await createApiKey(em, { id: uuidv7(), projectId: id, scopes: ['*'] });
    return { key, projectId: id };
  } finally {
    await orm.close();
  }
}
