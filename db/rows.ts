import { createHash } from 'node:crypto';
import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Pool, QueryResultRow } from 'pg';
import type { EntityManager } from './orm.ts';

/** All rows of a hand-written statement; runs in the transaction of the entity manager it is given. */
export async function rows<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  return (await statement.execute(em.getKysely())).rows;
}

/** The first row, for statements that give at most one. */
export async function row<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T | undefined> {
  return (await rows(em, statement))[0];
}

/**
 * The same for the few statements that every mail runs: outside a transaction PostgreSQL plans them once a connection and not each time,
 * which halves their cost there. Their text must not vary, and their columns must be named: a changed table must not change the result.
 */
export async function hotRow<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T | undefined> {
  if (em.isInTransaction()) return row(em, statement);
  const { sql: text, parameters } = statement.compile(em.getKysely());
  const pool = (await em.getConnection().getNativeClient()) as Pool;
  const { rows: found } = await pool.query<T & QueryResultRow>({ name: nameOf(text), text, values: [...parameters] });
  return found[0];
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `hot_${createHash('sha1').update(text).digest('base64url')}`;
    names.set(text, name);
  }
  return name;
}

/**
 * A statement whose text is made once and whose parameters are written as `$1`, `$2` …; prepared by name like `hotRow`. For statements
 * over a page, which take it as one JSON parameter.
 */
export function prepared<T>(statement: RawBuilder<T>): (em: EntityManager, values: readonly unknown[]) => Promise<T[]> {
  let text: string | undefined;
  return async (em, values) => {
    text ??= textOf(statement, em);
    if (em.isInTransaction()) return (await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]))).rows as T[];
    const pool = (await em.getConnection().getNativeClient()) as Pool;
    return (await pool.query<T & QueryResultRow>({ name: nameOf(text), text, values: [...values] })).rows;
  };
}

function textOf(statement: RawBuilder<unknown>, em: EntityManager): string {
  const { sql: text, parameters } = statement.compile(em.getKysely());
  if (parameters.length > 0) throw new Error('a prepared statement writes its parameters as $1, $2 …');
  return text;
}
