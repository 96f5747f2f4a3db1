import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type * as entities from './entities/index.ts';
import type { EntityManager } from './orm.ts';

/** Every table with its columns, as the entities say: a statement over one that is no more does not compile. */
export type Tables = InferKyselyDB<(typeof entities)[keyof typeof entities]>;

/** The entity manager's query builder over the tables; runs in the transaction of the entity manager it is given. */
export function tables(em: EntityManager): Kysely<Tables> {
  return em.getKysely<Tables>();
}

/** For `=`: one parameter whatever their number, where a list of the query builder would be one for each. */
export function anyOf<T>(values: readonly T[]): RawBuilder<T> {
  return sql`any(${values})`;
}
