import { hasOwnSessions } from '../db/own-sessions.ts';
import { ConfigError } from '../platform/config-error.ts';

/** Throws ConfigError when a pooler stands before the database. A database that cannot be asked just now keeps no process from starting. */
export async function requireOwnSessions(databaseUrl: string): Promise<void> {
  if (await hasOwnSessions(databaseUrl).catch(() => true)) return;
  throw new ConfigError(
    `DATABASE_URL leads to a connection pooler (${new URL(databaseUrl).host}), such as PgBouncer, which shares sessions or drops their settings. ` +
      'Set it to the address of PostgreSQL itself: each process has a pool of its own and keeps to its size',
  );
}
