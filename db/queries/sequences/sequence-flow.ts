import { sql } from 'kysely';
import type { EnrollmentStepRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** The runs that are looked at, the last started first: enough to see the way they take, and quick however many there are. */
export const LATEST_RUNS = 10_000;

/** How many visits to a node ended so, or have not ended yet, and were followed by one to `next`; null: by none so far. */
export interface VisitCount extends Pick<EnrollmentStepRow, 'node_id' | 'outcome'> {
  readonly next: string | null;
  readonly count: number;
}

/** What the latest runs of a sequence visited; `runs` is how many those are. */
export async function countVisits(
  em: EntityManager,
  sequenceId: string,
): Promise<{ readonly runs: number; readonly visits: readonly VisitCount[]; readonly standing: ReadonlyMap<string, number> }> {
  const [found] = await rows(
    em,
    sql<{ runs: number; visits: VisitCount[] | null; standing: { node_id: string; count: number }[] | null }>`
      with latest as materialized (
        select id, status, current_node_id from enrollments where sequence_id = ${sequenceId}
        order by started_at desc, id desc limit ${sql.lit(LATEST_RUNS)}
      ), step as (
        select st.node_id, st.outcome, lead(st.node_id) over (partition by st.enrollment_id order by st.step) as next
        from latest l join enrollment_steps st on st.enrollment_id = l.id
      ), visited as (
        select node_id, outcome, next, count(*) from step group by node_id, outcome, next
      ), standing as (
        select current_node_id as node_id, count(*) from latest where status = 'active' and current_node_id is not null group by current_node_id
      )
      select (select count(*) from latest) as runs, (select json_agg(v) from visited v) as visits, (select json_agg(s) from standing s) as standing`,
  );
  const { runs, visits, standing } = found!;
  return { runs, visits: visits ?? [], standing: new Map((standing ?? []).map(({ node_id, count }) => [node_id, count])) };
}
