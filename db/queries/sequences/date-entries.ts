import { sql } from 'kysely';
import type { DateEntryRow, DateTriggerRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { OpenDateTrigger } from './date-triggers.ts';

/** When a contact is due by a trigger, and for which date. */
export type PlannedEntry = Pick<DateEntryRow, 'contact_id' | 'date' | 'due_at'>;

/** Keeps when contacts are due; of one that was planned at another time the new one, unless it has been settled. */
export async function planEntries(tx: EntityManager, triggerId: string, planned: readonly PlannedEntry[]): Promise<void> {
  if (planned.length === 0) return;
  await row(
    tx,
    sql`insert into date_entries as e (trigger_id, contact_id, date, due_at)
        select ${triggerId}, p.contact_id, p.date, p.due_at
        from unnest(${planned.map(({ contact_id }) => contact_id)}::uuid[], ${planned.map(({ date }) => date)}::text[],
                    ${planned.map(({ due_at }) => due_at)}::timestamptz[]) as p(contact_id, date, due_at) order by p.contact_id
        on conflict (trigger_id, contact_id, date) do update set due_at = excluded.due_at
        where e.settled_at is null and e.due_at <> excluded.due_at`,
  );
}

/** Who enters by one trigger as far as a look has planned it. */
export interface Upcoming extends Pick<DateTriggerRow, 'rule'> {
  /** When everybody is looked at again; null: that is due, or under way. */
  readonly look_at: Date | null;
  /** Contacts; counted to `most`. */
  readonly planned: number;
  /** When the first of them are due, and how many are then; null and 0: nobody is planned. */
  readonly first_at: Date | null;
  readonly first: number;
}

/** By each trigger that is on, in the order in which they were made. Reads up to `most` entries of each, by an index. */
export async function upcomingEntries(em: EntityManager, sequenceId: string, most: number): Promise<Upcoming[]> {
  return rows(
    em,
    sql<Upcoming>`
      select t.rule, case when t.look_began_at is null and t.look_at > now() then t.look_at end as look_at,
             e.planned, e.first_at, e.first
      from date_triggers t cross join lateral (
        select count(*) as planned, min(due_at) as first_at, count(*) filter (where due_at = earliest) as first
        from (select due_at, min(due_at) over () as earliest from (
          select due_at from date_entries where trigger_id = t.id and settled_at is null and due_at > now() order by due_at limit ${most}) soonest) counted
      ) e
      where t.sequence_id = ${sequenceId} and t.ended_at is null order by t.id`,
  );
}

const IS_DUE = sql`e.trigger_id = t.id and e.settled_at is null and e.due_at <= now()`;

/** The triggers by which somebody is due. */
export async function triggersWithDue(em: EntityManager): Promise<string[]> {
  const found = await rows(
    em,
    sql<{
      id: string;
    }>`select t.id from date_triggers t where t.ended_at is null and exists (select 1 from date_entries e where ${IS_DUE})`,
  );
  return found.map(({ id }) => id);
}

/** The trigger as long as it is on, and who has been due by it the longest. */
export async function nextDue(
  tx: EntityManager,
  triggerId: string,
  limit: number,
): Promise<{ readonly trigger: OpenDateTrigger; readonly due: readonly PlannedEntry[] } | undefined> {
  const trigger = await row(
    tx,
    sql<OpenDateTrigger>`select id, project_id, sequence_id, rule, since from date_triggers where id = ${triggerId} and ended_at is null`,
  );
  if (!trigger) return undefined;
  const due = await rows(
    tx,
    sql<PlannedEntry>`
      select e.contact_id, e.date, e.due_at from date_triggers t join date_entries e on ${IS_DUE}
      where t.id = ${triggerId} order by e.due_at, e.contact_id limit ${limit}`,
  );
  return { trigger, due };
}

/**
 * Takes these of whoever else would settle them, whose contacts are locked: `enters` are kept as settled, `others` are forgotten, to be planned again
 * should they be due at another time. Returns the contacts of `enters` that nobody had settled.
 */
export async function settleEntries(
  tx: EntityManager,
  triggerId: string,
  { enters, others }: { readonly enters: readonly PlannedEntry[]; readonly others: readonly PlannedEntry[] },
): Promise<string[]> {
  const listed = (entries: readonly PlannedEntry[]) =>
    sql`unnest(${entries.map(({ contact_id }) => contact_id)}::uuid[], ${entries.map(({ date }) => date)}::text[]) as p(contact_id, date)`;
  const same = sql`e.trigger_id = ${triggerId} and e.contact_id = p.contact_id and e.date = p.date and e.settled_at is null`;
  if (others.length > 0) await row(tx, sql`delete from date_entries e using ${listed(others)} where ${same}`);
  if (enters.length === 0) return [];
  const settled = await rows(
    tx,
    sql<Pick<DateEntryRow, 'contact_id'>>`
      update date_entries e set settled_at = clock_timestamp() from ${listed(enters)} where ${same} returning e.contact_id`,
  );
  return settled.map(({ contact_id }) => contact_id);
}

/** Of a contact whose row is locked: nothing is planned for it any more. */
export async function forgetEntries(tx: EntityManager, contactId: string): Promise<void> {
  await row(tx, sql`delete from date_entries where contact_id = ${contactId}`);
}
