import { sql } from 'kysely';
import type { Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import type { Tables } from '../../tables.ts';

interface SealedColumnOf<Table extends keyof Tables> {
  readonly table: Table;
  /** Of the primary key, in the order in which `of` takes them. */
  readonly key: readonly (keyof Tables[Table] & string)[];
  readonly column: keyof Tables[Table] & `sealed_${string}`;
  readonly of: (...key: string[]) => string;
}

type SealedColumn = { [Table in keyof Tables]: SealedColumnOf<Table> }[keyof Tables];

/** Everything that is stored sealed. */
const SEALED: readonly SealedColumn[] = [
  { table: 'projects', key: ['id'], column: 'sealed_link_secret', of: (id = '') => sealedOf.linkSecret(id) },
  { table: 'projects', key: ['id'], column: 'sealed_inbound_secret', of: (id = '') => sealedOf.inboundSecret(id) },
  { table: 'projects', key: ['id'], column: 'sealed_webhook_secret', of: (id = '') => sealedOf.webhookSecret(id) },
  {
    table: 'inbound_settings',
    key: ['project_id', 'provider'],
    column: 'sealed_value',
    of: (project = '', provider = '') => sealedOf.inboundSetting(project, provider),
  },
  { table: 'dkim_keys', key: ['id'], column: 'sealed_private_key', of: (id = '') => sealedOf.dkimKey(id) },
  { table: 'webhook_endpoints', key: ['id'], column: 'sealed_secret', of: (id = '') => sealedOf.endpointSecret(id) },
  { table: 'webhook_endpoints', key: ['id'], column: 'sealed_previous_secret', of: (id = '') => sealedOf.endpointSecret(id) },
];

export interface Resealed {
  /** Sealed with the present key now. */
  readonly resealed: number;
  /** Were so before. */
  readonly kept: number;
  /** What none of the keys opens, by what it is of. */
  readonly unreadable: readonly string[];
}

/** Seals every stored secret with the present key. May be run again, and beside running processes that know both keys. */
export async function resealAll(em: EntityManager, vault: Vault): Promise<Resealed> {
  let [resealed, kept] = [0, 0];
  const unreadable: string[] = [];
  for (const { table, key, column, of } of SEALED) {
    const keys = sql.join(key.map((name) => sql`${sql.ref(name)}::text`));
    const stored = await rows(
      em,
      sql<{ key: string[]; sealed: Buffer }>`select array[${keys}] as key, ${sql.ref(column)} as sealed from ${sql.table(table)}
          where ${sql.ref(column)} is not null`,
    );
    for (const row of stored) {
      const what = of(...row.key);
      let fresh: Buffer | undefined;
      try {
        fresh = vault.reseal(row.sealed, what);
      } catch {
        unreadable.push(what);
        continue;
      }
      if (!fresh) {
        kept++;
        continue;
      }
      // What is stored anew meanwhile is sealed with the present key by whoever stored it.
      await rows(
        em,
        sql`update ${sql.table(table)} set ${sql.ref(column)} = ${fresh} where array[${keys}] = ${row.key}::text[] and ${sql.ref(column)} = ${row.sealed}`,
      );
      resealed++;
    }
  }
  return { resealed, kept, unreadable };
}
