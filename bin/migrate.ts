import { Client } from 'pg';
import { openDatabase } from '../db/orm.ts';
import { ConfigError, processConfig } from '../platform/config.ts';
import { fail } from './run.ts';

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Any number that nothing else in this database locks on. */
const LOCK = 7_203_148_611;
/** How long another process may hold it: a large migration takes its time. */
const LOCK_TIMEOUT = '15min';

/** Applies what is missing, all or nothing, and answers with its names. Processes that start at once wait for each other. */
export async function migrateUp(databaseUrl: string): Promise<readonly string[]> {
  return withLock(databaseUrl, async () => {
    const orm = await openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'everpost-migrate' });
    try {
      return (await orm.migrator.up()).map((migration) => migration.name);
    } finally {
      await orm.close();
    }
  });
}

/** What has run on the database and what has not. */
export async function migrationStatus(databaseUrl: string): Promise<MigrationStatus> {
  const orm = await openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'everpost-migrate' });
  try {
    const [applied, pending] = [await orm.migrator.getExecuted(), await orm.migrator.getPending()];
    return { applied: applied.map(({ name }) => name), pending: pending.map(({ name }) => name) };
  } finally {
    await orm.close();
  }
}

async function withLock<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, application_name: 'everpost-migrate' });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new ConfigError(
      `the database at ${withoutPassword(databaseUrl)} cannot be reached: ${reason(error)}. Check DATABASE_URL and that the server runs`,
    );
  }
  try {
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await work();
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

function withoutPassword(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/** A refused connection to a name with several addresses has its reasons inside. */
function reason(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return inner instanceof Error ? inner.message : String(inner);
}

async function main(command = 'up'): Promise<void> {
  const { databaseUrl } = processConfig();
  if (!databaseUrl) throw new ConfigError('DATABASE_URL is not set; npm start migrates the embedded database by itself');
  if (command === 'up') {
    const names = await migrateUp(databaseUrl);
    process.stdout.write(names.length === 0 ? 'nothing to migrate\n' : `applied ${names.join(', ')}\n`);
  } else if (command === 'status') {
    const { applied, pending } = await migrationStatus(databaseUrl);
    for (const name of applied) process.stdout.write(`applied  ${name}\n`);
    for (const name of pending) process.stdout.write(`pending  ${name}\n`);
  } else {
    process.stderr.write(`everpost: unknown command "${command}"; it should be up or status\n`);
    process.exitCode = 2;
  }
}

if (import.meta.main) await main(process.argv[2]).catch(fail);
