import { sql } from 'kysely';
import { dateEntryName, type EnteredDate } from '../../../domain/sequences/date-entry.ts';
import type { DateTriggerRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** So many contacts are looked at in one transaction. */
export const LOOKED_AT_ONCE = 5_000;

/** A date by which an active sequence is entered. */
export type OpenDateTrigger = Pick<DateTriggerRow, 'id' | 'project_id' | 'sequence_id' | 'rule' | 'since'>;

/** The sequence is entered by these dates from here on, and by no other. One that stays as it is goes on as if nothing had happened. */
export async function setDateTriggers(
  tx: EntityManager,
  { id, project_id }: Pick<SequenceRow, 'id' | 'project_id'>,
  rules: readonly EnteredDate[],
): Promise<void> {
  const names = rules.map(dateEntryName);
  await row(
    tx,
    sql`update date_triggers set ended_at = now(), look_at = null
        where sequence_id = ${id} and ended_at is null and name <> all(${names}::text[])`,
  );
  if (rules.length === 0) return;
  await row(
    tx,
    sql`insert into date_triggers as t (project_id, sequence_id, name, rule, since, look_at)
        select ${project_id}, ${id}, n.name, n.rule, clock_timestamp(), clock_timestamp()
        from unnest(${names}::text[], ${rules.map((rule) => JSON.stringify(rule))}::jsonb[]) as n(name, rule) order by n.name
        on conflict (sequence_id, name) do update
        set rule = excluded.rule, since = case when t.ended_at is null then t.since else excluded.since end, ended_at = null,
            look_at = excluded.look_at, look_began_at = null, looked_to_at = null, looked_to = null
        where t.ended_at is not null or t.rule <> excluded.rule`,
  );
}

/** A trigger whose contacts are all being looked at, since an instant. */
export type LookingDateTrigger = OpenDateTrigger & Pick<DateTriggerRow, 'looked_to_at' | 'looked_to'> & { readonly look_began_at: Date };

/** A contact of a look. */
export interface DatedContact {
  readonly id: string;
  readonly created_at: Date;
  readonly timezone: string | null;
  /** What the attribute or the field of the trigger is as a text, of a contact that may be due; null: of the last of the page. */
  readonly value: string | null;
}

/** The next contacts: those whose date begins with one of the texts (of every year's date from its month on), and the last of them. */
export async function nextDated(
  tx: EntityManager,
  { project_id, rule, looked_to_at, looked_to }: LookingDateTrigger,
  texts: readonly string[],
): Promise<DatedContact[]> {
  const beyond = looked_to ? sql`and (created_at, id) > (${looked_to_at}, ${looked_to}::uuid)` : sql``;
  const value = rule.field
    ? sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
    : sql`attributes ->> ${rule.attribute}::text`;
  const start = rule.every ? sql`substr(value, 6, 5)` : sql`left(value, 10)`;
  // Whoever was added on another day need not be read at all.
  const days = rule.field && !rule.every ? texts.map((day) => new Date(`${day}T00:00:00Z`)) : [];
  const among = days.length > 0 ? sql`and created_at >= ${days[0]} and created_at < ${days.at(-1)}::timestamptz + interval '1 day'` : sql``;
  return rows(
    tx,
    sql<DatedContact>`
      with page as materialized (
        select id, created_at, timezone, ${value} as value from contacts
        where project_id = ${project_id} ${beyond} ${among} order by created_at, id limit ${LOOKED_AT_ONCE}
      ), judged as (
        select id, created_at, timezone, case when ${start} = any(${texts}::text[]) then value end as value,
               row_number() over (order by created_at desc, id desc) as nth
        from page)
      select id, created_at, timezone, value from judged where value is not null or nth = 1 order by created_at, id`,
  );
}
