import { type RawBuilder, sql } from 'kysely';

/** As far as it is used here of what `defineEntity` gives. */
interface Described {
  readonly meta: { readonly properties: object };
}

/** As texts, since each step of each run asks for them: by references a builder would make them anew each time. */
const texts = new WeakMap<object, Map<string, RawBuilder<unknown>>>();

/**
 * The columns of an entity by name, for statements whose plan is kept: `select *` would change with the table. `prefix`: before each name
 * of the result, where a statement reads several tables. `without`: those that are left out.
 */
export function columnsOf(
  { meta }: Described,
  alias: string,
  { prefix = '', without = [] }: { readonly prefix?: string; readonly without?: readonly string[] } = {},
): RawBuilder<unknown> {
  const written = texts.get(meta) ?? new Map<string, RawBuilder<unknown>>();
  texts.set(meta, written);
  const key = [alias, prefix, ...without].join(' ');
  const known = written.get(key);
  if (known) return known;
  const names = Object.keys(meta.properties).filter((name) => !without.includes(name));
  const columns = sql.raw(names.map((name) => `"${alias}"."${name}"${prefix ? ` as "${prefix}${name}"` : ''}`).join(', '));
  written.set(key, columns);
  return columns;
}

/** The columns that were read with this prefix, as a row of their own. */
export function withPrefix<T>(row: object, prefix: string): T {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
  ) as T;
}
