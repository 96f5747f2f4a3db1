import { startApi } from '../../bin/api-process.ts';
import { freePort } from '../../local/ports.ts';
import { readConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { createMigrated, dropDatabase } from './databases.ts';
import { testEnvironment } from './environment.ts';
import { TEST_SETTINGS } from './everpost.ts';

/** An API in the process of the tests. */
export interface ApiHere {
  readonly url: string;
  readonly databaseUrl: string;
  /** Ends it in order and drops the database. */
  stop(): Promise<void>;
}

/**
 * Starts an API with a database of its own in this process, which has most of its modules already: a process of its own takes two seconds of
 * a core to start. `env`: further variables. It is for what starts no workflow, since the workers of the Temporal that it shares know another
 * database. Stop it in afterAll.
 */
export async function startApiHere(env: Readonly<Record<string, string>> = {}): Promise<ApiHere> {
  const shared = testEnvironment();
  const databaseUrl = await createMigrated(shared.databaseUrl);
  const settings = {
    ...TEST_SETTINGS,
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: shared.temporalAddress,
    SECRET_KEY: shared.secretKey,
    EMAIL_PROVIDER_URL: shared.smtpUrl,
    ...env,
  };
  const running = await startApi(requireReady(readConfig(settings)), createLogger('silent'), createMetrics());
  return {
    url: running.address,
    databaseUrl,
    async stop() {
      await running.stop();
      await dropDatabase(databaseUrl);
    },
  };
}
