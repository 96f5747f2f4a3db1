import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Numbers that are kept by project and hour of UTC: the sum of a row of `kept` and of its changes, which are only added. */
export interface HourlyCounts<Name extends string> {
  readonly kept: string;
  readonly changes: string;
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

/** So many rows of changes are added up in one statement. */
const CHANGES_AT_ONCE = 50_000;

/** Adds the changes to the numbers that are kept, so that reading them stays quick. */
export async function sumUpHours(em: EntityManager, { kept, changes, counters }: HourlyCounts<string>): Promise<void> {
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
          insert into ${sql.table(kept)} as c (project_id, hour, ${of})
          select project_id, hour, ${sums} from gone group by project_id, hour order by project_id, hour
          on conflict (project_id, hour) do update set ${added}
        )
        select count(*) as count from gone`,
    );
    left = summed?.count === CHANGES_AT_ONCE;
  }
}
