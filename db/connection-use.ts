import type { Pool } from 'pg';
import type { MikroORM } from './orm.ts';
import { preparedPoolOf } from './prepared-statements.ts';

/** How the connections of one pool are used at this moment. */
export interface ConnectionUse {
  /** `hot`, as the metric's label has it: those for the statements of prepared-statements.ts. */
  readonly pool: 'main' | 'hot';
  readonly most: number;
  readonly open: number;
  readonly idle: number;
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number;
}

export async function connectionUse(orm: MikroORM): Promise<readonly ConnectionUse[]> {
  const main = (await orm.em.getConnection().getNativeClient()) as Pool;
  const prepared = preparedPoolOf(main);
  return prepared === main ? [useOf('main', main)] : [useOf('main', main), useOf('hot', prepared)];
}

function useOf(pool: ConnectionUse['pool'], { options, totalCount, idleCount, waitingCount }: Pool): ConnectionUse {
  return { pool, most: options.max, open: totalCount, idle: idleCount, waiting: waitingCount };
}
