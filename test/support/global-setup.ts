import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateUp } from '../../bin/migrate.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { commandLine } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { startTemporal } from '../../local/temporal.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { processConfig } from '../../platform/config.ts';
import { unpackBrowser } from './browser.ts';
import { keepMigrated } from './databases.ts';
import { collectSeldom, keepCompiled, publishEnvironment } from './environment.ts';
import { TEST_SETTINGS } from './everpost.ts';
import { spawnProgram, waitUntilReady } from './everpost-process.ts';
import { startHttpReceiver } from './http-receiver.ts';
import { nameServer, zones } from './name-server.ts';
import { startSmtpSink } from './smtp-sink.ts';

const FOLDER = 'everpost-test-';
/** Files in memory, where the system has such a folder. */
const MEMORY = '/dev/shm';

/** A workflow whose tasks fail is found by it after so many of them; the server's own five take a minute. */
const SOON_REPORTED = { 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': '2' };

/** Of PostgreSQL, with a database for many a file: none lives long enough to be tidied up, and files have processes with pools of their own. */
const SHORT_LIVED = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB', max_connections: '300' };

/** What teardown has to end, the last started first. */
const started: (() => Promise<void>)[] = [];

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts everything that the test files share, and returns what ends it. If this process is killed, the servers end by themselves. */
export default async function setUp(): Promise<() => Promise<void>> {
  try {
    await startAll();
    return endAll;
  } catch (error) {
    await endAll();
    throw error;
  }
}

async function endAll(): Promise<void> {
  for (const end of started.splice(0).toReversed()) await end();
}

async function startAll(): Promise<void> {
  keepCompiled();
  collectSeldom();
  await removeLeftovers();
  const scratchDir = await newFolder(tmpdir());
  // SQLite without a file takes the longer for each commit the more workflows it has seen.
  const memoryDir = await newFolder(MEMORY).catch(() => undefined);
  const binary = await temporalBinary(processConfig(), progress);
  const quiet = (): void => {};
  const browser = unpackBrowser();
  const [sink, receiver, dns, postgres, temporal] = await Promise.all([
    keep(startSmtpSink(), (it) => it.stop()),
    keep(startHttpReceiver(), (it) => it.close()),
    // No name exists there: what the world says of a domain has no part in a test.
    keep(nameServer(zones({})), async (it) => it.close()),
    keep(startPostgres({ dataDir: scratchDir, progress: quiet, durable: false, settings: SHORT_LIVED }), (it) => it.process.stop()),
    keep(
      startTemporal({
        ...{ binary, ui: undefined, progress: quiet, settings: SOON_REPORTED },
        ...(memoryDir === undefined ? { dataDir: scratchDir, inMemory: true } : { dataDir: memoryDir }),
      }),
      (it) => it.process.stop(),
    ),
  ]);
  await migrateUp(postgres.url);
  await browser;
  await keepMigrated(postgres.url);
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const secretKey = randomBytes(32).toString('base64');
  const env = {
    ...TEST_SETTINGS,
    DATA_DIR: join(scratchDir, 'data'),
    PORT: String(port),
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    SECRET_KEY: secretKey,
    EMAIL_PROVIDER_URL: sink.smtpUrl,
    DNS_SERVERS: dns.address,
  };
  const programs: GuardedProcess[] = [spawnProgram('api', scratchDir, env), spawnProgram('worker', scratchDir, env)];
  for (const program of programs) started.push(() => program.stop());
  await waitUntilReady(apiUrl, programs);
  publishEnvironment({
    apiUrl,
    receiverUrl: receiver.url,
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    temporalBinary: binary,
    nameServer: dns.address,
    smtpUrl: sink.smtpUrl,
    sinkUrl: sink.controlUrl,
    secretKey,
    scratchDir,
  });
}

async function keep<T>(starting: Promise<T>, end: (it: T) => Promise<void>): Promise<T> {
  const it = await starting;
  started.push(() => end(it));
  return it;
}

/** Removed at the end of the run. */
async function newFolder(where: string): Promise<string> {
  const folder = await mkdtemp(join(where, `${FOLDER}${process.pid}-`));
  started.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Folders of runs that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const where of [tmpdir(), MEMORY])
    for (const name of await readdir(where).catch(() => [])) {
      const pid = Number(new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1]);
      if (pid && !(await commandLine(pid))) await rm(join(where, name), { recursive: true, force: true });
    }
}
