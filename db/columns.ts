import { type RawBuilder, sql } from 'kysely';

/** As far as it is used here of what `defineEntity` gives. */
interface Described {
  readonly meta: { readonly properties: object };
}

/** The columns of an entity by name, for statements whose plan is kept: `select *` would change with the table. */
export function columnsOf({ meta }: Described, alias: string): RawBuilder<unknown> {
  return sql.join(Object.keys(meta.properties).map((name) => sql.ref(`${alias}.${name}`)));
}
