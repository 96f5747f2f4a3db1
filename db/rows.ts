import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Pool, QueryResultRow } from 'pg';
import { tryingDeadlocksAgain } from './deadlock.ts';
import type { EntityManager } from './orm.ts';
import { prepareAs, preparedPoolOf } from './prepared-statements.ts';

/** All rows of a hand-written statement; runs in the transaction of the entity manager it is given. */
export async function rows<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  return alone(em, async () => (await statement.execute(em.getKysely())).rows);
}

/** The first row, for statements that give at most one. */
export async function row<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T | undefined> {
  return (await rows(em, statement))[0];
}

/** The same for prepared statements (see prepared-statements.ts). */
export async function preparedRows<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  const { sql: text, parameters } = statement.compile(em.getKysely());
  return runPrepared(em, text, parameters);
}

export async function preparedRow<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T | undefined> {
  return (await preparedRows(em, statement))[0];
}

/** A prepared statement whose text is made once and whose parameters are written as `$1`, `$2` …: for batches, which are one JSON parameter. */
export function preparedStatement<T>(statement: RawBuilder<T>): (em: EntityManager, values: readonly unknown[]) => Promise<T[]> {
  let text: string | undefined;
  return (em, values) => {
    text ??= textOf(statement, em);
    return runPrepared(em, text, values);
  };
}

async function runPrepared<T>(em: EntityManager, text: string, values: readonly unknown[]): Promise<T[]> {
  const name = prepareAs(text);
  if (em.isInTransaction()) return (await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]))).rows as T[];
  const pool = preparedPoolOf((await em.getConnection().getNativeClient()) as Pool);
  return alone(em, async () => (await pool.query<T & QueryResultRow>({ name, text, values: [...values] })).rows);
}

/** A statement that is a transaction of its own can meet others in a deadlock, too. */
function alone<T>(em: EntityManager, run: () => Promise<T>): Promise<T> {
  return em.isInTransaction() ? run() : tryingDeadlocksAgain(run);
}

function textOf(statement: RawBuilder<unknown>, em: EntityManager): string {
  const { sql: text, parameters } = statement.compile(em.getKysely());
  if (parameters.length > 0) throw new Error('a prepared statement writes its parameters as $1, $2 …');
  return text;
}
