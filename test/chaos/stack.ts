import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateUp } from '../../bin/migrate.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { processConfig } from '../../platform/config.ts';
import { admin } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { spawnProgram } from '../support/everpost-process.ts';
import { keptRunning, type Member } from './members.ts';

/** PostgreSQL and Temporal that keep what they have over a kill, two of the API and two workers, and a project. */
export interface ChaosStack {
  readonly members: readonly Member[];
  readonly apiUrls: readonly string[];
  /** With every scope. */
  readonly key: string;
  readonly webhookSecret: string;
  stop(): Promise<void>;
}

export interface ChaosStackOptions {
  /** For the data and the logs. */
  readonly folder: string;
  readonly smtpUrl: string;
  readonly retryBaseSeconds: number;
  readonly progress: (line: string) => void;
}

const APIS = 2;
const WORKERS = 2;
const PROJECT = 'chaos';

export async function startChaosStack({ folder, smtpUrl, retryBaseSeconds, progress }: ChaosStackOptions): Promise<ChaosStack> {
  const members: Member[] = [];
  const stop = async (): Promise<void> => {
    for (const member of members.toReversed()) await member.stop();
  };
  const keep = async (name: string, pidFile: string, start: Parameters<typeof keptRunning>[0]['start']): Promise<void> => {
    members.push(await keptRunning({ name, pidFile, start, progress }));
  };
  const quiet = (): void => {};
  try {
    progress('starting PostgreSQL and Temporal');
    const binary = await temporalBinary(processConfig(), progress);
    const [postgresPort, temporalPort] = [await freePort(), await freePort()];
    let databaseUrl = '';
    await keep('postgres', join(folder, 'postgres.pid'), async () => {
      const { url, process } = await startPostgres({ dataDir: folder, port: postgresPort, progress: quiet });
      databaseUrl = url;
      return process;
    });
    await keep('temporal', join(folder, 'temporal.pid'), async () => {
      const { process } = await startTemporal({ binary, dataDir: folder, port: temporalPort, uiPort: undefined, progress: quiet });
      return process;
    });
    await migrateUp(databaseUrl);
    const ports = await Promise.all(Array.from({ length: APIS }, freePort));
    const apiUrls = ports.map((port) => `http://127.0.0.1:${port}`);
    const env = {
      API_PROCESSES: '1',
      RATE_LIMIT_BURST: '0',
      WEBHOOK_ALLOW_PRIVATE: '1',
      WEBHOOK_RETRY_BASE_SECONDS: String(retryBaseSeconds),
      LOG_LEVEL: 'debug',
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
      SECRET_KEY: randomBytes(32).toString('base64'),
      EMAIL_PROVIDER_URL: smtpUrl,
      PUBLIC_URL: apiUrls[0]!,
    };
    progress('making the project');
    const project = await makeProject(env);
    progress(`starting ${APIS} of the API and ${WORKERS} workers`);
    for (const [index, port] of ports.entries()) {
      const own = join(folder, `api-${index + 1}`);
      await mkdir(own);
      await keep(`api ${index + 1}`, join(own, 'api.pid'), () => spawnProgram('api', own, { ...env, PORT: String(port) }));
    }
    for (let index = 1; index <= WORKERS; index++) {
      const own = join(folder, `worker-${index}`);
      await mkdir(own);
      await keep(`worker ${index}`, join(own, 'worker.pid'), () => spawnProgram('worker', own, env));
    }
    for (const url of apiUrls) {
      const isReady = async () => (await fetch(`${url}/api/v1/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
      await eventually(isReady, { timeoutMs: 60_000, everyMs: 100 });
    }
    return { members, apiUrls, ...project, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** By the commands of an operator. */
async function makeProject(env: Readonly<Record<string, string>>): Promise<{ key: string; webhookSecret: string }> {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await admin([...args, '--json'], env);
    if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const { webhookSecret } = await run('project', 'create', PROJECT, '--from', `hello@${PROJECT}.example`);
  await run('brand', 'set', PROJECT, PROJECT, '--address', '1 Test Street, Testville');
  await run('domain', 'add', PROJECT, `${PROJECT}.example`, '--verified');
  const { key } = await run('key', 'create', PROJECT, '--scopes', '*');
  return { key, webhookSecret };
}
