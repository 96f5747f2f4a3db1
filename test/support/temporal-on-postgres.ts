import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { requireFreePort } from '../../local/ports.ts';
import type { ClusterTemporal } from '../../local/temporal-build.ts';
import { lazyClient } from '../../platform/temporal/connection.ts';
import { composeConfig, composeService } from './compose.ts';
import { plainEnvironment } from './environment.ts';

/** A Temporal server on PostgreSQL with the configuration of docker-compose.yml. */
export interface TemporalOnPostgres {
  /** host:port of the gRPC service; the same after another start. */
  readonly address: string;
  readonly version: string;
  readonly shards: number;
  /** Starts the server, or starts it again, without waiting for its answer. */
  launch(): GuardedProcess;
}

export interface TemporalOnPostgresOptions {
  readonly programs: ClusterTemporal;
  /** The `temporal` command line program, which makes the namespace. */
  readonly cli: string;
  /** Of the PostgreSQL server; the databases beside it are made. */
  readonly databaseUrl: string;
  readonly folder: string;
  /** Instead of those in docker-compose.yml. */
  readonly shards?: number;
}

const run = promisify(execFile);
const START_TIMEOUT_MS = 90_000;

/** Makes the databases and the namespace by the commands in docker-compose.yml, with a first run of the server, which goes on. */
export async function temporalOnPostgres(
  options: TemporalOnPostgresOptions,
): Promise<{ readonly temporal: TemporalOnPostgres; readonly process: GuardedProcess }> {
  const { programs, cli, folder, databaseUrl } = options;
  const database = new URL(databaseUrl);
  await mkdir(folder, { recursive: true });
  await linkTools(folder, { 'temporal-sql-tool': programs.sqlTool, temporal: cli });
  // Both have to be safe at every `docker compose up`.
  await runCommand(folder, 'temporal-schema', schemaOn(database));
  await runCommand(folder, 'temporal-schema', schemaOn(database));
  const temporal = await prepared(options, database);
  const server = temporal.launch();
  try {
    await temporalAnswers(temporal.address, server);
    await runCommand(folder, 'temporal-namespace', { environment: { TEMPORAL_ADDRESS: temporal.address } });
    await runCommand(folder, 'temporal-namespace', { environment: { TEMPORAL_ADDRESS: temporal.address } });
    await namespaceAnswers(temporal.address, server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { temporal, process: server };
}

async function prepared({ programs, folder, shards }: TemporalOnPostgresOptions, database: URL): Promise<TemporalOnPostgres> {
  const dynamicConfig = join(folder, 'dynamic-config.yaml');
  await writeFile(dynamicConfig, composeConfig('temporal-dynamic-config'));
  await run(programs.server, ['validate-dynamic-config', dynamicConfig]).then(({ stdout }) => {
    if (/error|warning/.test(stdout)) throw new Error(`the dynamic configuration of docker-compose.yml is not the server's: ${stdout}`);
  });
  const services = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];
  const names = services.flatMap((service) => [`${service}_GRPC_PORT`, `${service}_MEMBERSHIP_PORT`]).concat('FRONTEND_HTTP_PORT');
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await lowPort(name))] as const)));
  const { environment, image } = composeService('temporal', { POSTGRES_PASSWORD: decodeURIComponent(database.password) });
  if (!image.endsWith(`:${programs.version}`)) throw new Error(`docker-compose.yml has ${image}, the module here ${programs.version}`);
  const shardCount = String(shards ?? environment.NUM_HISTORY_SHARDS);
  const env = {
    ...plainEnvironment(),
    ...environment,
    // In place of the addresses within the network of compose.
    ...{ POSTGRES_SEEDS: database.hostname, DB_PORT: database.port, BIND_ON_IP: '127.0.0.1', TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1' },
    ...ports,
    DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
    NUM_HISTORY_SHARDS: shardCount,
    LOG_LEVEL: 'warn',
  };
  return {
    address: `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`,
    version: programs.version,
    shards: Number(shardCount),
    launch: () =>
      startGuarded({
        name: 'the Temporal server',
        command: programs.server,
        args: ['start'],
        env,
        cwd: folder,
        logFile: join(folder, 'temporal.log'),
        pidFile: join(folder, 'temporal.pid'),
        stopSignal: 'TERM',
        hardSignal: 'KILL',
        graceSeconds: 20,
      }),
  };
}

/** Free, and one that the server can keep: its column for ports is a smallint. */
async function lowPort(name: string): Promise<number> {
  const [least, beyond] = [10_000, 32_768];
  for (;;) {
    const port = randomInt(least, beyond);
    const isFree = await requireFreePort(name, port, '127.0.0.1').then(
      () => true,
      () => false,
    );
    if (isFree) return port;
  }
}

interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** What the commands have to say instead of what stands in the file. */
  readonly replaced?: readonly (readonly [RegExp, string])[];
}

/** The tool has the schema of its image inside as well, under a name instead of a folder. */
function schemaOn(database: URL): Surroundings {
  return {
    environment: { SQL_PASSWORD: decodeURIComponent(database.password) },
    replaced: [
      [/--ep postgres -p 5432/, `--ep ${database.hostname} -p ${database.port}`],
      [/-d "\/etc\/temporal\/schema\/(\S+)\/versioned"/, '--schema-name "$1"'],
    ],
  };
}

/** Runs what a service of docker-compose.yml runs, with the tools of the folder. */
async function runCommand(folder: string, service: string, { environment, replaced = [] }: Surroundings): Promise<void> {
  let [script = ''] = composeService(service, { POSTGRES_PASSWORD: environment.SQL_PASSWORD ?? 'not used' }).command;
  for (const [from, to] of replaced) {
    if (!from.test(script)) throw new Error(`the service ${service} of docker-compose.yml does not say ${from}`);
    script = script.replace(from, to);
  }
  const { PATH = '', ...env } = plainEnvironment();
  await run('/bin/sh', ['-euc', script], { env: { ...env, ...environment, HOME: folder, PATH: `${folder}${delimiter}${PATH}` } });
}

async function linkTools(folder: string, tools: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, program] of Object.entries(tools)) await symlink(program, join(folder, name));
}

/** Waits until the server answers at all. */
async function temporalAnswers(address: string, server: GuardedProcess): Promise<void> {
  await answering(address, server, ({ connection }) =>
    connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.getSystemInfo({})),
  );
}

/** Waits until the namespace is known everywhere in it. */
async function namespaceAnswers(address: string, server: GuardedProcess): Promise<void> {
  await answering(address, server, async (temporal) => {
    await temporal.check();
    await temporal.connection.workflowService.listWorkflowExecutions({ namespace: temporal.namespace, pageSize: 1 });
  });
}

async function answering(
  address: string,
  server: GuardedProcess,
  ask: (temporal: ReturnType<typeof lazyClient>) => Promise<unknown>,
): Promise<void> {
  const temporal = lazyClient({ temporalAddress: address, temporalEmbedded: true });
  try {
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(250)) {
      try {
        await ask(temporal);
        return;
      } catch (error) {
        if (!server.running || Date.now() > deadline)
          throw new Error(`the Temporal server does not answer (${(error as Error).message}):\n${server.lastLines()}`);
      }
    }
  } finally {
    await temporal.close();
  }
}
