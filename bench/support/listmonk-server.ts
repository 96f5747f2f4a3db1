import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { eventually } from '../../test/support/eventually.ts';
import { cpuSeconds, peakMemoryMb } from './cpu.ts';

/** How it sends: connections to the SMTP server, and workers. */
export interface ListmonkSending {
  readonly smtpUrl: string;
  readonly connections: number;
  readonly concurrency: number;
}

/** An installed listmonk with a database of its own; it runs between `start` and `stop`. */
export interface ListmonkServer {
  readonly url: string;
  readonly authorization: string;
  readonly database: Client;
  /** Starts it, or starts it again: it reads its settings then. */
  start(sending: ListmonkSending): Promise<void>;
  /** `data` of the answer; throws for any status but those of success. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  cpu(): Promise<{ readonly listmonk: number; readonly postgres: number }>;
  /** Of listmonk's own process since it was started. */
  peakMemoryMb(): Promise<number>;
  lastLines(): string;
  stop(): Promise<void>;
}

/** What it sends fastest with, as measured before. `message_rate` is a limit for each worker, not reached here, and sets its queue's length. */
const MESSAGE_RATE = 10_000;
const BATCH_SIZE = 1_000;
const DATABASE_CONNECTIONS = 25;
const API_USER = 'bench';

/**
 * Installs listmonk in a PostgreSQL server of its own, set up as the one of the bench's stack is, durability included, so that neither
 * pays for the other's checkpoints and vacuums. `dir` is a checkout with its binary `listmonk` in it, or a folder with a release's binary.
 */
export async function installListmonk(dir: string): Promise<ListmonkServer> {
  const binary = join(dir, 'listmonk');
  if (!(await exists(binary))) throw new Error(`there is no binary at ${binary}: see bench/README.md`);
  const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-peer-'));
  let postgresProcess: GuardedProcess | undefined;
  let database: Client | undefined;
  let program: GuardedProcess | undefined;
  const stop = async (): Promise<void> => {
    await program?.stop();
    await database?.end();
    await postgresProcess?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const pidOf = async (name: string): Promise<number> => Number(await readFile(join(folder, `${name}.pid`), 'utf8'));
  try {
    const postgres = await startPostgres({ dataDir: folder, progress: () => {} });
    postgresProcess = postgres.process;
    const address = `127.0.0.1:${await freePort()}`;
    const config = join(folder, 'config.toml');
    await writeFile(config, configFile(address, new URL(postgres.url)), { mode: 0o600 });
    const args = ['--config', config, ...(await foldersOf(dir))];
    const token = await install(binary, dir, args);
    const db = new Client({ connectionString: postgres.url });
    database = db;
    await db.connect();
    const authorization = `token ${API_USER}:${token}`;

    const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await fetch(`http://${address}${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { data: T }).data;
    };
    const lastLines = (): string => program?.lastLines() ?? '';
    return {
      url: `http://${address}`,
      authorization,
      database: db,
      async start(sending) {
        await program?.stop();
        await saveSettings(db, sending);
        program = startGuarded({
          name: 'listmonk',
          command: binary,
          args,
          cwd: dir,
          env: { PATH: process.env.PATH },
          logFile: join(folder, 'listmonk.log'),
          pidFile: join(folder, 'listmonk.pid'),
          stopSignal: 'TERM',
          hardSignal: 'KILL',
          graceSeconds: 10,
        });
        await eventually(() => call('GET', '/api/health')).catch(() => {
          throw new Error(`listmonk did not start:\n${lastLines()}`);
        });
      },
      call,
      async cpu() {
        return { listmonk: await cpuSeconds(await pidOf('listmonk')), postgres: await cpuSeconds(await pidOf('postgres')) };
      },
      peakMemoryMb: async () => peakMemoryMb(await pidOf('listmonk')),
      lastLines,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configFile(address: string, database: URL): string {
  return `[app]
address = "${address}"

[db]
host = "${database.hostname}"
port = ${database.port}
user = "${database.username}"
password = "${database.password}"
database = "${database.pathname.slice(1)}"
ssl_mode = "disable"
max_open = ${DATABASE_CONNECTIONS}
max_idle = ${DATABASE_CONNECTIONS}
max_lifetime = "300s"
`;
}

/** A release's binary holds them. */
async function foldersOf(dir: string): Promise<string[]> {
  const present = await Promise.all(['static', 'i18n'].map(async (name) => ((await exists(join(dir, name))) ? name : undefined)));
  return present.filter((name) => name !== undefined).map((name) => `--${name}-dir=${name}`);
}

/** Writes the schema and answers with the token of an API user. */
async function install(binary: string, dir: string, args: readonly string[]): Promise<string> {
  const users = { LISTMONK_ADMIN_USER: 'admin', LISTMONK_ADMIN_PASSWORD: 'admin-of-a-bench', LISTMONK_ADMIN_API_USER: API_USER };
  const env = { PATH: process.env.PATH, ...users };
  const { stdout, stderr } = await promisify(execFile)(binary, [...args, '--install', '--yes'], { cwd: dir, env });
  const token = /LISTMONK_ADMIN_API_TOKEN="([^"]+)"/.exec(stderr)?.[1];
  if (!token) throw new Error(`listmonk's installation gave no token:\n${stdout}\n${stderr}`);
  return token;
}

async function saveSettings(db: Client, { smtpUrl, connections, concurrency }: ListmonkSending): Promise<void> {
  const { hostname, port } = new URL(smtpUrl);
  const smtp = {
    enabled: true,
    name: 'email-sink',
    uuid: '6b7f7d3e-7a43-4a5e-b8e1-0d8f4c2f1a11',
    host: hostname,
    port: Number(port),
    auth_protocol: 'none',
    username: '',
    password: '',
    hello_hostname: 'bench',
    max_conns: connections,
    idle_timeout: '15s',
    wait_timeout: '5s',
    max_msg_retries: 2,
    msg_retry_delay: '10ms',
    tls_type: 'none',
    tls_skip_verify: false,
    email_headers: [],
    from_addresses: [],
  };
  const settings = {
    smtp: [smtp],
    'app.root_url': 'http://mail.bench.example',
    'app.concurrency': concurrency,
    'app.message_rate': MESSAGE_RATE,
    'app.batch_size': BATCH_SIZE,
    // No way out of this machine.
    'app.check_updates': false,
    'app.notify_emails': [],
    'privacy.individual_tracking': true,
    'privacy.unsubscribe_header': true,
  };
  for (const [key, value] of Object.entries(settings)) {
    const { rowCount } = await db.query('update settings set value = $2 where key = $1', [key, JSON.stringify(value)]);
    if (rowCount !== 1) throw new Error(`this version of listmonk has no setting ${key}`);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
