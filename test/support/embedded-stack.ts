import { join } from 'node:path';
import { readRunningStack } from '../../local/data-dir.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { TEST_SETTINGS } from './everpost.ts';
import { spawnProgram, waitUntilReady } from './everpost-process.ts';
import { notedPid } from './noted-pid.ts';

/** What `npm start` runs, on a DATA_DIR of its own, with its embedded PostgreSQL and Temporal; mail goes to the sink of the tests. */
export interface EmbeddedStack {
  readonly url: string;
  readonly databaseUrl: string;
  readonly program: GuardedProcess;
  /** SIGKILL to all of it at one instant: the program, PostgreSQL and Temporal. */
  kill(): Promise<void>;
  /** In order, as Ctrl-C does. */
  stop(): Promise<void>;
}

/** Starts it, or starts it again on what an earlier one left in the folder. `env`: further variables. */
export async function startEmbedded(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<EmbeddedStack> {
  const { smtpUrl, secretKey, temporalBinary } = testEnvironment();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = spawnProgram('start', dataDir, {
    ...TEST_SETTINGS,
    DATA_DIR: dataDir,
    PORT: String(port),
    TEMPORAL_UI_PORT: String(await freePort()),
    TEMPORAL_CLI_PATH: temporalBinary,
    EMAIL_PROVIDER_URL: smtpUrl,
    SECRET_KEY: secretKey,
    ...env,
  });
  try {
    await waitUntilReady(url, [program]);
    // It says where it runs only after its API listens.
    const running = await eventually(() => readRunningStack(dataDir));
    return { url, databaseUrl: running.databaseUrl, program, kill: () => killAll(dataDir, program), stop: () => program.stop() };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

async function killAll(dataDir: string, program: GuardedProcess): Promise<void> {
  const postgres = await notedPid(join(dataDir, 'postgres', 'postmaster.pid'));
  const temporal = await notedPid(join(dataDir, 'temporal.pid'));
  const killed = program.kill();
  for (const pid of [postgres, temporal]) process.kill(pid, 'SIGKILL');
  await killed;
}
