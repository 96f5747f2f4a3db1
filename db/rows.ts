import type { RawBuilder } from 'kysely';
import type { EntityManager } from './orm.ts';

/** All rows of a hand-written statement; runs in the transaction of the entity manager it is given. */
export async function rows<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  return (await statement.execute(em.getKysely())).rows;
}

/** The first row, for statements that give at most one. */
export async function row<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T | undefined> {
  return (await rows(em, statement))[0];
}
