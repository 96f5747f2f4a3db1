import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** PostgreSQL's code for what its protocol does not know, with which PgBouncer refuses settings. */
const PROTOCOL_VIOLATION = '08P01';
const PATIENCE_MS = 3_000;

/**
 * Whether each connection is a session of its own that keeps what it was opened with: time limits of statements, plans and the threshold of
 * bursts are such settings, and prepared statements and the lock of migrations live in a session, too. Behind a pooler in transaction mode
 * sessions are shared, and one that drops settings drops those. Throws when the database cannot be asked.
 */
export async function hasOwnSessions(url: string): Promise<boolean> {
  const marks = [randomUUID(), randomUUID()] as const;
  const [one, other] = marks.map((mark) => clientWith(url, mark)) as [Client, Client];
  try {
    await one.connect();
    await other.connect();
    // While this transaction has a session to itself, a pooler gives the first connection another one than before.
    if ((await markOf(one)) !== marks[0]) return false;
    await other.query('begin');
    return (await markOf(other)) === marks[1] && (await markOf(one)) === marks[0];
  } catch (error) {
    if ((error as { code?: string }).code === PROTOCOL_VIOLATION) return false;
    throw error;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

function clientWith(url: string, mark: string): Client {
  const marked = new URL(url);
  // What stands there already would win over an option beside it.
  marked.searchParams.set('options', `${marked.searchParams.get('options') ?? ''} -c everpost.session=${mark}`.trim());
  const client = new Client({
    connectionString: marked.href,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: 'everpost-sessions',
  });
  client.on('error', () => {});
  return client;
}

async function markOf(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>("select current_setting('everpost.session', true) as mark");
  return rows[0]?.mark ?? null;
}
