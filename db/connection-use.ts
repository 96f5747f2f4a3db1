import type { Pool } from 'pg';
import { hotPoolOf } from './hot-statements.ts';
import type { MikroORM } from './orm.ts';

/** How the connections of one pool are used at this moment. */
export interface ConnectionUse {
  /** `hot`: those for the statements of hot-statements.ts. */
  readonly pool: 'main' | 'hot';
  readonly most: number;
  readonly open: number;
  readonly idle: number;
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number;
}

export async function connectionUse(orm: MikroORM): Promise<readonly ConnectionUse[]> {
  const main = (await orm.em.getConnection().getNativeClient()) as Pool;
  const hot = hotPoolOf(main);
  return hot === main ? [useOf('main', main)] : [useOf('main', main), useOf('hot', hot)];
}

function useOf(pool: ConnectionUse['pool'], { options, totalCount, idleCount, waitingCount }: Pool): ConnectionUse {
  return { pool, most: options.max, open: totalCount, idle: idleCount, waiting: waitingCount };
}
