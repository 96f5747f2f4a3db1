import { type RawBuilder, sql } from 'kysely';

/** As far as it is used here of what `defineEntity` gives. */
interface Described {
  readonly meta: { readonly properties: object };
}

/**
 * The columns of an entity by name, for statements whose plan is kept: `select *` would change with the table. `prefix`: before each name
 * of the result, where a statement reads several tables. `without`: those that are left out.
 */
export function columnsOf(
  { meta }: Described,
  alias: string,
  { prefix = '', without = [] }: { readonly prefix?: string; readonly without?: readonly string[] } = {},
): RawBuilder<unknown> {
  const names = Object.keys(meta.properties).filter((name) => !without.includes(name));
  return sql.join(names.map((name) => sql`${sql.ref(`${alias}.${name}`)}${prefix ? sql` as ${sql.ref(prefix + name)}` : sql``}`));
}

/** The columns that were read with this prefix, as a row of their own. */
export function withPrefix<T>(row: object, prefix: string): T {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
  ) as T;
}
