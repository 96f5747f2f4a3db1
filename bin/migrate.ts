import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { isDeadlock, isLockTimeout } from '../db/errors.ts';
import { openDatabase } from '../db/orm.ts';
import { processConfig } from '../platform/config.ts';
import { ConfigError } from '../platform/config-error.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { fail } from './run.ts';

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Any number that nothing else in this database locks on. */
const LOCK = 7_203_148_611;
/** How long another process may hold it, and how long a migration may wait for those who use a table. */
const PATIENCE_MINUTES = 15;
/** Whoever wants a table meanwhile queues behind the migration, so it stands in line for no longer at a time. */
const TABLE_LOCK_MS = 3_000;

/** Applies what is missing, one migration after the other, and answers with their names. Processes that start at once wait for each other. */
export async function migrateUp(databaseUrl: string, { tableLockMs = TABLE_LOCK_MS } = {}): Promise<readonly string[]> {
  return withLock(databaseUrl, async () => {
    // One connection: what a migration without a transaction sets, holds for its next statement.
    const orm = await openDatabase({ url: databaseUrl, poolSize: 1, limits: { lock: tableLockMs }, applicationName: 'everpost-migrate' });
    try {
      const names = (await orm.migrator.getPending()).map(({ name }) => name);
      for (const name of names) await whenTablesAreFree(() => orm.migrator.up({ migrations: [name] }));
      return names;
    } finally {
      await orm.close();
    }
  });
}

/** Tries again what has waited in vain for a table that others use, or was ended since they waited for it too: nothing of it was done. */
async function whenTablesAreFree(work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MINUTES * 60_000;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(isLockTimeout(error) || isDeadlock(error)) || Date.now() > deadline) throw error;
      await sleep(1_000);
    }
  }
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
    await requireOwnSessions(databaseUrl);
    await takeLock(client);
    return await work();
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

/** Asks again and again: a statement that waits would be waited for by the build of an index, and so both for ever. */
async function takeLock(client: Client): Promise<void> {
  const deadline = Date.now() + PATIENCE_MINUTES * 60_000;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]);
    if (rows[0]?.taken) return;
    if (Date.now() > deadline) throw new ConfigError('another process has been migrating this database for a long time; see what it does');
    await sleep(200);
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
