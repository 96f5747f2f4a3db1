import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Triggers of sequences for which all contacts of their project are looked at, page by page. */
export type LookingTable = 'segment_triggers' | 'date_triggers';

/** A look takes at most this part of the time. */
const SHARE = 20;

/** The triggers whose time for a look has come, the longest waiting first. */
export async function triggersToLookAt(em: EntityManager, table: LookingTable): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ id: string }>`select id from ${sql.table(table)} where look_at <= now() and ended_at is null order by look_at, id`,
  );
  return found.map(({ id }) => id);
}

/** The row of the trigger, locked; none that another transaction has locked, or whose look has ended. */
export async function lockLook<Trigger>(tx: EntityManager, table: LookingTable, id: string): Promise<Trigger | undefined> {
  return row(
    tx,
    sql<Trigger>`
      update ${sql.table(table)} t set look_began_at = coalesce(t.look_began_at, clock_timestamp())
      where t.id = (select id from ${sql.table(table)} where id = ${id} and look_at <= now() and ended_at is null for update skip locked)
      returning t.*`,
  );
}

/** All contacts up to this one have been looked at. */
export async function markLooked(
  tx: EntityManager,
  table: LookingTable,
  id: string,
  { id: to, created_at: toAt }: { readonly id: string; readonly created_at: Date },
): Promise<void> {
  await row(tx, sql`update ${sql.table(table)} set looked_to_at = ${toAt}, looked_to = ${to} where id = ${id}`);
}

/** Everybody has been looked at, and is again after `everyMs`, or later where it takes long; null: not by itself. */
export async function endLook(tx: EntityManager, table: LookingTable, id: string, everyMs: number | null): Promise<void> {
  const took = sql`(clock_timestamp() - look_began_at)`;
  const every = sql`make_interval(secs => ${(everyMs ?? 0) / 1000}::double precision)`;
  const next = everyMs === null ? sql`null` : sql`clock_timestamp() + greatest(${every}, ${took} * ${sql.lit(SHARE)})`;
  await row(
    tx,
    sql`update ${sql.table(table)} set look_at = ${next}, look_began_at = null, looked_to_at = null, looked_to = null where id = ${id}`,
  );
}
