import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateUp } from '../../bin/migrate.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { clusterTemporal } from '../../local/temporal-build.ts';
import { processConfig } from '../../platform/config.ts';
import { composePostgresSettings, composeService } from '../support/compose.ts';
import { testEnvironment } from '../support/environment.ts';
import { spawnProgram, waitUntilReady } from '../support/everpost-process.ts';
import { temporalOnPostgres } from '../support/temporal-on-postgres.ts';

/** One process of the cluster, kept running as docker compose does. */
export interface Member {
  readonly name: string;
  /** How often it has been started again. */
  readonly restarts: number;
  /** SIGKILL; resolves when the process is gone. It is started again at once, on the same address. */
  kill(): Promise<void>;
}

/** What docker-compose.yml describes, with two of the API and three workers, each a process on this machine. */
export interface Cluster {
  readonly apiUrls: readonly [string, string];
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly shards: number;
  readonly postgres: Member;
  readonly temporal: Member;
  readonly apis: readonly [Member, Member];
  readonly workers: readonly [Member, Member, Member];
  /** Ends everything in order. */
  stop(): Promise<void>;
}

/** Before a process that ended is started again: the first pause of docker's restart policy. Milliseconds. */
const RESTART_PAUSE_MS = 100;

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

/** Values of `.env`. One process for each API, no limit for the one project of the test, few lines in the logs. */
const DOT_ENV = { API_PROCESSES: '1', RATE_LIMIT_BURST: '0', LOG_LEVEL: 'warn' } as const;
/** What the file does not have: the receiver of the test is on this machine, and nobody waits two minutes for a second attempt. */
const BESIDE_COMPOSE = { WEBHOOK_ALLOW_PRIVATE: '1', WEBHOOK_RETRY_BASE_SECONDS: '1', NODE_ENV: 'production' } as const;

export async function startCluster(): Promise<Cluster> {
  const { scratchDir, smtpUrl, secretKey, temporalBinary } = testEnvironment();
  const members: (Member & { stop(): Promise<void> })[] = [];
  const stop = async (): Promise<void> => {
    for (const member of members.toReversed()) await member.stop();
  };
  const keep = (name: string, first: GuardedProcess, again: () => GuardedProcess | Promise<GuardedProcess>) => {
    const member = keptRunning(name, first, again);
    members.push(member);
    return member;
  };
  try {
    const [dataDir, port] = [join(scratchDir, 'postgres-server'), await freePort()];
    await mkdir(dataDir);
    const postgresAgain = async () => startPostgres({ dataDir, port, settings: composePostgresSettings(), progress });
    const { url: databaseUrl, process: first } = await postgresAgain();
    const postgres = keep('PostgreSQL', first, async () => (await postgresAgain()).process);
    progress('making the databases of Temporal and starting its server');
    const programs = await clusterTemporal(processConfig().userCacheDir, progress);
    const folder = join(scratchDir, 'temporal-server');
    const made = await temporalOnPostgres({ programs, cli: temporalBinary, databaseUrl, folder });
    const temporal = keep('Temporal', made.process, made.temporal.launch);
    progress('migrating, and starting two of the API and three workers');
    await migrateUp(databaseUrl);
    const { environment } = composeService('api', {
      ...DOT_ENV,
      POSTGRES_PASSWORD: 'not used',
      SECRET_KEY: secretKey,
      EMAIL_PROVIDER_URL: smtpUrl,
      PUBLIC_URL: 'http://localhost:3000',
    });
    const env = { ...environment, ...BESIDE_COMPOSE, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: made.temporal.address };
    const start = (program: 'api' | 'worker', number: number, further: Readonly<Record<string, string>> = {}): Member => {
      const name = `${program} ${number}`;
      const launch = () => spawnProgram(program, join(scratchDir, name.replace(' ', '-')), { ...env, ...further });
      return keep(name, launch(), launch);
    };
    const ports = [await freePort(), await freePort()] as const;
    const apis = [start('api', 1, { PORT: String(ports[0]) }), start('api', 2, { PORT: String(ports[1]) })] as const;
    const workers = [start('worker', 1), start('worker', 2), start('worker', 3)] as const;
    const apiUrls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
    for (const url of apiUrls) await waitUntilReady(url, []);
    const { address: temporalAddress, shards } = made.temporal;
    return { apiUrls, databaseUrl, temporalAddress, shards, postgres, temporal, apis, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function keptRunning(
  name: string,
  first: GuardedProcess,
  again: () => GuardedProcess | Promise<GuardedProcess>,
): Member & { stop(): Promise<void> } {
  let [current, restarts, stopping] = [first, 0, false];
  const keeping = (async () => {
    for (;;) {
      await current.ended;
      if (stopping) return;
      progress(`${name} has ended and is started again`);
      await sleep(RESTART_PAUSE_MS);
      if (stopping) return;
      current = await again();
      restarts++;
    }
  })();
  keeping.catch((error: unknown) => progress(`${name} cannot be started again: ${error}`));
  return {
    name,
    get restarts() {
      return restarts;
    },
    kill: () => current.kill(),
    async stop() {
      stopping = true;
      await current.stop();
      await keeping.catch(() => {});
      await current.stop();
    },
  };
}
