import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateUp } from '../../bin/migrate.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { processConfig } from '../../platform/config.ts';
import { admin } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { spawnProgram } from '../support/everpost-process.ts';
import { createNamespace } from '../support/temporal-namespace.ts';
import type { SmtpDoor } from './hand-in.ts';
import { keptRunning, type Member } from './members.ts';

/** PostgreSQL and Temporal that keep what they have over a kill, and beside them one installation for each mail provider. */
export interface ChaosStack {
  readonly members: readonly Member[];
  /** In the order of the providers. */
  readonly installations: readonly Installation[];
  stop(): Promise<void>;
}

/** Two of the API, two workers and an SMTP entrance on a database and a namespace of their own, and a project. */
export interface Installation {
  readonly apiUrls: readonly string[];
  readonly databaseUrl: string;
  /** With every scope. */
  readonly key: string;
  readonly webhookSecret: string;
  readonly smtp: SmtpDoor;
}

export interface ChaosStackOptions {
  /** For the data and the logs. */
  readonly folder: string;
  readonly providers: readonly { readonly name: string; readonly providerUrl: string }[];
  /** Further variables of every API and worker. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly progress: (line: string) => void;
}

const APIS = 2;
const WORKERS = 2;
const PROJECT = 'chaos';
/** Two installations are more than PostgreSQL has connections for by default. */
const POSTGRES_SETTINGS = { max_connections: '250' };

export async function startChaosStack({ folder, providers, settings = {}, progress }: ChaosStackOptions): Promise<ChaosStack> {
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
    let serverUrl = '';
    await keep('postgres', join(folder, 'postgres.pid'), async () => {
      const { url, process } = await startPostgres({ dataDir: folder, port: postgresPort, settings: POSTGRES_SETTINGS, progress: quiet });
      serverUrl = url;
      return process;
    });
    await keep('temporal', join(folder, 'temporal.pid'), async () => {
      const { process } = await startTemporal({ binary, dataDir: folder, port: temporalPort, ui: undefined, progress: quiet });
      return process;
    });
    const temporalAddress = `127.0.0.1:${temporalPort}`;
    const installations: Installation[] = [];
    for (const { name, providerUrl } of providers) {
      progress(`starting ${APIS} of the API, ${WORKERS} workers and an SMTP entrance for ${name}`);
      const databaseUrl = await createDatabase(serverUrl, `everpost_${name}`);
      await migrateUp(databaseUrl);
      await createNamespace(temporalAddress, name);
      const ports = await Promise.all(Array.from({ length: APIS }, freePort));
      const apiUrls = ports.map((port) => `http://127.0.0.1:${port}`);
      const env = {
        API_PROCESSES: '1',
        RATE_LIMIT_BURST: '0',
        WEBHOOK_ALLOW_PRIVATE: '1',
        LOG_LEVEL: 'debug',
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: temporalAddress,
        TEMPORAL_NAMESPACE: name,
        SECRET_KEY: randomBytes(32).toString('base64'),
        EMAIL_PROVIDER_URL: providerUrl,
        PUBLIC_URL: apiUrls[0]!,
        ...settings,
      };
      const project = await makeProject(env);
      for (const [index, port] of ports.entries()) {
        const own = join(folder, `${name}-api-${index + 1}`);
        const start = () => spawnProgram('api', own, { ...env, PORT: String(port) });
        await keep(`api ${name} ${index + 1}`, join(own, 'api.pid'), start);
      }
      for (let index = 1; index <= WORKERS; index++) {
        const own = join(folder, `${name}-worker-${index}`);
        await keep(`worker ${name} ${index}`, join(own, 'worker.pid'), () => spawnProgram('worker', own, env));
      }
      const smtpPort = await freePort();
      const entrance = join(folder, `${name}-smtp`);
      await keep(`smtp ${name}`, join(entrance, 'smtp.pid'), () => spawnProgram('smtp', entrance, { ...env, SMTP_PORT: String(smtpPort) }));
      installations.push({ apiUrls, databaseUrl, ...project, smtp: { port: smtpPort, user: PROJECT, key: project.key } });
    }
    for (const url of installations.flatMap(({ apiUrls }) => apiUrls)) {
      const isReady = async () => (await fetch(`${url}/api/v1/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
      await eventually(isReady, { timeoutMs: 120_000, everyMs: 100 });
    }
    return { members, installations, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Answers with its URL. */
async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const server = new Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`create database ${name}`);
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
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
