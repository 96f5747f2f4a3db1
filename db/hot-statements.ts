import { createHash } from 'node:crypto';
import { Client } from 'pg';

/**
 * The statements that every mail and every step of a run ask. PostgreSQL plans each once a connection and not each time, which halves their
 * cost. Their text must not vary, and their columns must be named: a changed table must not change the result of a plan that is kept.
 */
const names = new Map<string, string>();

/** Marks a statement as hot. Returns the name under which it is prepared. */
export function prepareAs(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `hot_${createHash('sha1').update(text).digest('base64url')}`;
    names.set(text, name);
  }
  return name;
}

/** A connection that asks hot statements by their name also where a query builder gives it the bare text, as it does in transactions. */
export class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the driver, handed on as they are
  override query(...given: any[]): any {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) ? names.get(text) : undefined;
    const query = super.query as (...parameters: unknown[]) => unknown;
    return name === undefined ? query.apply(this, given) : query.apply(this, [{ name, text, values }, ...rest]);
  }
}
