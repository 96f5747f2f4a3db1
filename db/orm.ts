import { EntityCaseNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type Pool, types } from 'pg';
import * as entities from './entities/index.ts';
import { OwnEntityManager } from './entity-manager.ts';
import { MIGRATIONS } from './load-migrations.ts';
import { addPreparedPool, PreparingClient, preparedShare } from './prepared-statements.ts';

const TIMESTAMPTZ = 1184;
const BIGINT = 20;

/** A Date for timestamptz and a number for bigint (counts stay far below 2^53), in hand-written SQL as in entities. */
const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === TIMESTAMPTZ) return (text) => new Date(text);
    if (oid === BIGINT) return Number;
    return types.getTypeParser(oid, format as 'text');
  },
};

/** A new connection has its statements planned anew and costs a call some ten milliseconds: an idle one is kept for the next call, also where few come. */
const IDLE_MS = 120_000;

/** A pool that is so small keeps its connections, and has those for prepared statements besides. */
const FEW = 4;

/** Milliseconds. */
export interface SessionLimits {
  /** A statement that takes longer is ended. */
  readonly statement?: number;
  /** So is one that waits longer for a lock. */
  readonly lock?: number;
  /** A transaction that asks nothing for so long is ended with its session: its locks must not outlive whoever forgot it. */
  readonly idleInTransaction?: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** What the server ends by itself; nothing when omitted. */
  readonly limits?: SessionLimits;
  /** WEBHOOK_BURST_AT, for statements that write deliveries: 200 when omitted. */
  readonly webhookBurstAt?: number;
  /** Milliseconds that a connection of the pool is waited for: 3,000 when omitted. */
  readonly patience?: number;
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  readonly applicationName: string;
}

/** The connection pool; connects when first used. Rows keep their column names: entities are written in snake_case. */
export async function openDatabase(options: DatabaseOptions): Promise<MikroORM> {
  const prepared = preparedShare(options.poolSize);
  return MikroORM.init({
    clientUrl: options.url,
    entities: Object.values(entities),
    extensions: [Migrator],
    entityManager: OwnEntityManager,
    namingStrategy: EntityCaseNamingStrategy,
    // Errors reach whoever asked; nothing is worth a line of the ORM's own.
    logger: () => undefined,
    pool: { min: 0, max: Math.max(Math.min(options.poolSize, FEW), options.poolSize - prepared), idleTimeoutMillis: IDLE_MS },
    driverOptions: {
      Client: PreparingClient,
      onPoolCreated: (pool: Pool) => addPreparedPool(pool, prepared),
      application_name: options.applicationName,
      ...(options.webhookBurstAt === undefined ? {} : { options: `-c everpost.webhook_burst_at=${options.webhookBurstAt}` }),
      connectionTimeoutMillis: options.patience ?? 3_000,
      ...(options.limits ? settingsOf(options.limits) : {}),
      keepAlive: true,
      types: typeParsers,
    },
    migrations: {
      migrationsList: [...MIGRATIONS],
      tableName: 'migrations',
      transactional: true,
      // Each commits on its own, so that none holds the locks of those before it.
      allOrNothing: false,
      snapshot: false,
    },
  });
}

function settingsOf({ statement, lock, idleInTransaction }: SessionLimits) {
  return {
    ...(statement === undefined ? {} : { statement_timeout: statement }),
    ...(lock === undefined ? {} : { lock_timeout: lock }),
    ...(idleInTransaction === undefined ? {} : { idle_in_transaction_session_timeout: idleInTransaction }),
  };
}

export type { EntityManager, MikroORM };
