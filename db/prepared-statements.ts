import { createHash } from 'node:crypto';
import { Client, Pool, type PoolConfig } from 'pg';

/**
 * The statements that every mail and every step of a run ask. PostgreSQL plans each once a connection and not each time, which halves their
 * cost. Their text must not vary, and the columns of their result must be named: a changed table must not change what a kept plan gives.
 */
const names = new Map<string, string>();

/** From here on a statement with this text is prepared. Returns its name, whose prefix operators know. */
export function prepareAs(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `hot_${createHash('sha1').update(text).digest('base64url')}`;
    names.set(text, name);
  }
  return name;
}

/** A connection that asks prepared statements by their name also where a query builder gives it the bare text, as it does in transactions. */
export class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the driver, handed on as they are
  override query(...given: any[]): any {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) ? names.get(text) : undefined;
    const query = super.query as (...parameters: unknown[]) => unknown;
    return name === undefined ? query.apply(this, given) : query.apply(this, [{ name, text, values }, ...rest]);
  }
}

/** Of a pool's connections so many are for prepared statements: batches under way at the same time are few. */
export function preparedShare(poolSize: number): number {
  return Math.min(6, Math.ceil(poolSize / 4));
}

/**
 * A plan that is kept must stay right while a table grows from nothing to millions of rows: every row is found by an index, and nothing is
 * scanned or hashed because it happened to be small on the day.
 */
const SETTINGS =
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set plan_cache_mode = force_generic_plan; set jit = off';

class SettledClient extends PreparingClient {
  // biome-ignore lint/suspicious/noExplicitAny: the pool calls it with a callback
  override connect(done?: any): any {
    // The pool listens from when it is told that the connection is there; one that breaks while it is being settled would end the process.
    this.on('error', () => undefined);
    if (!done) return super.connect().then(() => super.query(SETTINGS));
    super.connect((error: Error | null) => {
      if (error) done(error);
      else
        super.query(SETTINGS, (refused: Error | null) => {
          if (refused) void this.end();
          done(refused);
        });
    });
  }
}

const preparedPools = new WeakMap<object, Pool>();

/** Gives a pool connections of their own for prepared statements outside of transactions; they end with it. */
export function addPreparedPool(pool: Pool, connections: number): void {
  const options = pool.options as PoolConfig;
  // The password is hidden from copies.
  const prepared = new Pool({
    ...options,
    password: options.password,
    Client: SettledClient as unknown as NonNullable<PoolConfig['Client']>,
    min: 0,
    max: connections,
  });
  // What breaks while nobody uses it is opened again by the next who does.
  prepared.on('error', () => undefined);
  prepared.on('connect', (client) => client.on('error', () => undefined));
  preparedPools.set(pool, prepared);
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = (async () => {
    await Promise.all([prepared.end(), end()]);
  }) as Pool['end'];
}

/** Where prepared statements run outside of transactions. */
export function preparedPoolOf(pool: Pool): Pool {
  return preparedPools.get(pool) ?? pool;
}
