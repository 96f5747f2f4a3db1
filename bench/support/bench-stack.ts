import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { migrateUp } from '../../bin/migrate.ts';
import { openDatabase } from '../../db/orm.ts';
import { createApiKey } from '../../db/queries/api-keys.ts';
import { createProject, setBrand, setSendingDomain } from '../../db/queries/projects.ts';
import { saveTemplateSetting } from '../../db/queries/templates.ts';
import { createVault } from '../../domain/crypto.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { processConfig } from '../../platform/config.ts';
import { eventually } from '../../test/support/eventually.ts';
import { spawnProgram, waitUntilReady } from '../../test/support/everpost-process.ts';
import { cpuSeconds } from './cpu.ts';
import { type BenchSink, startSink } from './sink.ts';

export interface BenchStack {
  readonly apiUrl: string;
  /** Of a project with a brand, a verified sending domain and no other data; every scope. */
  readonly key: string;
  readonly databaseUrl: string;
  /** Nobody listens there unless the stack has workflows. */
  readonly temporalAddress: string;
  readonly sink: BenchSink;
  /** CPU seconds of each process, and of this one as "client", since it started. */
  cpu(): Promise<CpuSeconds>;
  stop(): Promise<void>;
}

/** temporal and worker are 0 on a stack without them. */
export interface CpuSeconds {
  readonly api: number;
  readonly worker: number;
  readonly temporal: number;
  readonly postgres: number;
  readonly sink: number;
  readonly client: number;
}

export interface BenchStackOptions {
  /** Enabled in the project. */
  readonly template?: string | undefined;
  /** Where the API writes a CPU profile when it ends. */
  readonly profileDir?: string | undefined;
  /** Temporal and a worker too. */
  readonly workflows?: boolean;
  readonly progress: (line: string) => void;
}

/**
 * A durable PostgreSQL, the API with its rate limit off, and the sink, all in a folder of their own; Temporal and a worker only where what
 * is measured passes through them.
 */
export async function startBenchStack({ template, profileDir, workflows = false, progress }: BenchStackOptions): Promise<BenchStack> {
  const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-'));
  const started: GuardedProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const each of started.toReversed()) await each.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    progress('building and starting the sink');
    const sink = await startSink(folder);
    started.push(sink.process);
    const postgres = await startPostgres({ dataDir: folder, progress });
    started.push(postgres.process);
    await migrateUp(postgres.url);
    const secretKey = randomBytes(32);
    const key = await createBenchProject(postgres.url, secretKey, template);
    const port = await freePort();
    const temporal = workflows ? await startBenchTemporal(folder, progress) : undefined;
    if (temporal) started.push(temporal.process);
    const temporalAddress = temporal?.address ?? `127.0.0.1:${await freePort()}`;
    const env = {
      PORT: String(port),
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporalAddress,
      SECRET_KEY: secretKey.toString('base64'),
      EMAIL_PROVIDER_URL: sink.smtpUrl,
      RATE_LIMIT_BURST: '0',
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
    };
    const api = spawnProgram('api', folder, {
      ...env,
      ...(profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }),
    });
    started.push(api);
    if (workflows) started.push(spawnProgram('worker', folder, env));
    const apiUrl = `http://127.0.0.1:${port}`;
    // Not /ready, which waits for Temporal.
    await eventually(async () => (await fetch(`${apiUrl}/health`)).ok || (await fetch(`${apiUrl}/api/v1/health`)).ok, {
      timeoutMs: 30_000,
    }).catch(() => {
      throw new Error(`the API did not start:\n${api.lastLines()}`);
    });
    if (workflows) await waitUntilReady(apiUrl, [api]);
    const usedBy = async (name: string): Promise<number> => cpuSeconds(Number(await readFile(join(folder, `${name}.pid`), 'utf8')));
    return {
      apiUrl,
      key,
      databaseUrl: postgres.url,
      temporalAddress,
      sink,
      async cpu() {
        const { user, system } = process.cpuUsage();
        return {
          api: await usedBy('api'),
          worker: workflows ? await usedBy('worker') : 0,
          temporal: workflows ? await usedBy('temporal') : 0,
          postgres: await usedBy('postgres'),
          sink: await usedBy('sink'),
          client: (user + system) / 1e6,
        };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function cpuBetween(before: CpuSeconds, after: CpuSeconds): CpuSeconds {
  const used = (name: keyof CpuSeconds): number => Number((after[name] - before[name]).toFixed(2));
  return {
    api: used('api'),
    worker: used('worker'),
    temporal: used('temporal'),
    postgres: used('postgres'),
    sink: used('sink'),
    client: used('client'),
  };
}

async function startBenchTemporal(folder: string, progress: (line: string) => void): Promise<RunningTemporal> {
  const binary = await temporalBinary(processConfig(), progress);
  return startTemporal({ binary, dataDir: folder, uiPort: undefined, progress, inMemory: true });
}

async function createBenchProject(databaseUrl: string, secretKey: Buffer, template: string | undefined): Promise<string> {
  const orm = await openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'everpost-bench' });
  try {
    const em = orm.em.fork();
    const { id } = await createProject(em, createVault(secretKey), {
      id: uuidv7(),
      slug: 'bench',
      from: 'hello@bench.example',
      fromName: 'The Bench',
    });
    await setBrand(em, id, 'bench', { address: '1 Bench Street, Testville' }, true);
    await setSendingDomain(em, { id: uuidv7(), projectId: id, domain: 'bench.example', verified: true });
    if (template !== undefined) {
      const enabled = { enabled: true, subject: undefined, from: undefined };
      await saveTemplateSetting(em, { projectId: id, brand: 'bench', template }, enabled);
    }
    return (await createApiKey(em, { id: uuidv7(), projectId: id, scopes: ['*'] })).key;
  } finally {
    await orm.close();
  }
}
