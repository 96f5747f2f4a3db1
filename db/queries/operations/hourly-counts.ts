import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Numbers that are kept by project and hour of UTC: the sum of a row of `kept` and of its changes, which are only added. */
export interface HourlyCounts<Name extends string> {
  readonly kept: string;
  readonly changes: string;
  /** Columns by which they are kept besides; none when omitted. */
  readonly by?: readonly string[];
  readonly counters: readonly Name[];
}

/** What was counted from `begins[0]` on before `end`, by the last of `begins` before it; each begins an hour. */
export interface CountedTimes {
  readonly begins: readonly Date[];
  readonly end: Date;
}

/** A row for each of `begins`, also where nothing was counted. */
export async function countHours<Name extends string>(
  em: EntityManager,
  projectId: string,
  { kept, changes }: HourlyCounts<string>,
  names: readonly Name[],
  { begins, end }: CountedTimes,
): Promise<({ readonly from: Date } & Readonly<Record<Name, number>>)[]> {
  const times = begins.map((begin) => begin.toISOString());
  const shown = sql.join(names.map((name) => sql.ref(name)));
  const sums = sql.join(names.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0)::bigint as ${sql.ref(name)}`));
  const within = sql`project_id = ${projectId} and hour >= ${begins[0]} and hour < ${end}`;
  return rows(
    em,
    sql<{ readonly from: Date } & Readonly<Record<Name, number>>>`
      with counted as (
        select hour, ${shown} from ${sql.table(kept)} where ${within}
        union all
        select hour, ${shown} from ${sql.table(changes)} where ${within}
      )
      select b.since as "from", ${sums}
      from unnest(${times}::timestamptz[]) with ordinality b(since, place)
      left join counted on width_bucket(hour, ${times}::timestamptz[]) = b.place
      group by b.since order by b.since`,
  );
}

/** The numbers of one group; `group` is null for all that have no row of their own, which are so many. */
export type GroupCounts<Name extends string> = { readonly group: string | null; readonly groups: number } & Readonly<Record<Name, number>>;

/**
 * What was counted of a time by `by`, one of the columns that numbers are kept by: a row for each of the `most` groups with the most of the first of
 * `names`, and one for the others, "" among them, where there are any. Of what has come to nothing nothing is said.
 */
export async function countGroups<Name extends string>(
  em: EntityManager,
  projectId: string,
  { kept, changes }: HourlyCounts<Name>,
  { by, names, most }: { readonly by: string; readonly names: readonly Name[]; readonly most: number },
  { begins, end }: CountedTimes,
): Promise<GroupCounts<Name>[]> {
  const shown = sql.join(names.map((name) => sql.ref(name)));
  const sums = sql.join(names.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`));
  const isAny = sql.join(
    names.map((name) => sql`sum(${sql.ref(name)}) <> 0`),
    sql` or `,
  );
  const first = sql.ref(names[0] as string);
  const within = sql`project_id = ${projectId} and hour >= ${begins[0]} and hour < ${end}`;
  return rows(
    em,
    sql<GroupCounts<Name>>`
      with counted as (
        select ${sql.ref(by)} as name, ${shown} from ${sql.table(kept)} where ${within}
        union all
        select ${sql.ref(by)}, ${shown} from ${sql.table(changes)} where ${within}
      ), grouped as (
        select name, ${sums} from counted group by name having ${isAny}
      ), placed as (
        select *, row_number() over (order by name = '', ${first} desc, name) as place from grouped
      )
      select case when place <= ${most} and name <> '' then name end as "group", count(*) as groups, ${sums}
      from placed group by 1 order by min(place)`,
  );
}

/** So many rows of changes are added up in one statement. */
const CHANGES_AT_ONCE = 50_000;

/** Adds the changes to the numbers that are kept, so that reading them stays quick. */
export async function sumUpHours(em: EntityManager, { kept, changes, by = [], counters }: HourlyCounts<string>): Promise<void> {
  const key = sql.join(['project_id', 'hour', ...by].map((name) => sql.ref(name)));
  const of = sql.join(counters.map((name) => sql.ref(name)));
  const sums = sql.join(counters.map((name) => sql`sum(${sql.ref(name)})`));
  const added = sql.join(counters.map((name) => sql`${sql.ref(name)} = ${sql.ref(`c.${name}`)} + ${sql.ref(`excluded.${name}`)}`));
  for (let left = true; left; ) {
    const summed = await row(
      em,
      sql<{ count: number }>`
        with gone as (
          delete from ${sql.table(changes)} where (project_id, hour, id) in (
            select project_id, hour, id from ${sql.table(changes)} order by project_id, hour, id limit ${CHANGES_AT_ONCE})
          returning *
        ), summed as (
          insert into ${sql.table(kept)} as c (${key}, ${of})
          select ${key}, ${sums} from gone group by ${key} order by ${key}
          on conflict (${key}) do update set ${added}
        )
        select count(*) as count from gone`,
    );
    left = summed?.count === CHANGES_AT_ONCE;
  }
}
