import { type RawBuilder, sql } from 'kysely';
import type { Done } from '../../../domain/sequences/flow.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** The runs that are looked at, the last started first: enough to see the way they take, and quick however many there are. */
export const LATEST_RUNS = 10_000;

/** What a version says of when its runs began is widened by so much: the clocks of API and database differ, and a call takes a while. */
const CLOCKS_DIFFER = sql.lit('1 hour');

/** What the latest runs of a sequence did; `runs` is how many those are. */
export interface LatestRuns extends Done {
  readonly runs: number;
}

export interface FlowQuery {
  readonly sequenceId: string;
  /** Of whose runs; undefined: of all. */
  readonly version: number | undefined;
  /** What a run has to come to, to count as one that reached it. */
  readonly reachedBy: 'goal' | 'completed';
}

type Found = Pick<LatestRuns, 'runs'> & {
  readonly visits: LatestRuns['visits'] | null;
  readonly standing: readonly { readonly node_id: string; readonly count: number }[] | null;
  readonly mails: LatestRuns['mails'] | null;
};

/**
 * Nothing is counted while a mail goes, and no index is there for this alone: the latest runs come from enrollments_sequence_idx, their mails
 * from sends_enrollment_visit_key, which each mail has anyway, and who left by one from send_hits_send_idx. So it costs what the latest runs
 * sent, however many mails there are: a second or less for 10,000 runs of three mails each. `offset 0` has each run looked up by itself, where the planner
 * would rather read a whole table.
 */
export async function readLatestRuns(em: EntityManager, { sequenceId, version, reachedBy }: FlowQuery): Promise<LatestRuns> {
  const [found] = await rows(
    em,
    sql<Found>`
      with latest as materialized (
        select id, status, current_node_id, ${reachedBy === 'goal' ? sql`end_reason is not distinct from 'goal'` : sql`status = 'completed'`} as reached
        from enrollments where sequence_id = ${sequenceId} ${version === undefined ? sql`` : ofVersion(sequenceId, version)}
        order by started_at desc, id desc limit ${sql.lit(LATEST_RUNS)}
      ), step as (
        select st.node_id, st.outcome, lead(st.node_id) over (partition by st.enrollment_id order by st.step) as next, l.reached, l.status,
               row_number() over (partition by st.enrollment_id, st.node_id, st.outcome order by st.step) = 1 as is_first
        from latest l cross join lateral (select * from enrollment_steps where enrollment_id = l.id offset 0) st
      ), visited as (
        select node_id, outcome, next, count(*), count(*) filter (where is_first) as runs,
               count(*) filter (where is_first and reached) as reached, count(*) filter (where is_first and status = 'active') as active
        from step group by node_id, outcome, next
      ), standing as (
        select current_node_id as node_id, count(*) from latest where status = 'active' and current_node_id is not null group by current_node_id
      ), mailed as (
        select s.node_id, count(*) as sent, count(*) filter (where s.delivery_status = 'delivered') as delivered,
               count(s.first_opened_at) as opened, count(s.first_clicked_at) as clicked,
               count(*) filter (where exists (select from send_hits h where h.send_id = s.id and h.kind = 'unsubscribed')) as unsubscribed
        from latest l cross join lateral (select * from sends where enrollment_id = l.id and status = 'sent' offset 0) s
        group by s.node_id
      )
      select (select count(*) from latest) as runs, (select json_agg(v) from visited v) as visits,
             (select json_agg(s) from standing s) as standing, (select json_agg(m) from mailed m) as mails`,
  );
  const { runs, visits, standing, mails } = found!;
  return {
    runs,
    visits: visits ?? [],
    standing: new Map((standing ?? []).map(({ node_id, count }) => [node_id, count])),
    mails: mails ?? [],
  };
}

/** Between that version and the next, so that runs of later ones are not walked through to find none. */
function ofVersion(sequenceId: string, version: number): RawBuilder<unknown> {
  const madeAt = (which: number): RawBuilder<unknown> =>
    sql`(select created_at from sequence_versions where sequence_id = ${sequenceId} and version = ${which})`;
  return sql`and sequence_version = ${version} and started_at >= ${madeAt(version)} - interval ${CLOCKS_DIFFER}
    and started_at <= coalesce(${madeAt(version + 1)} + interval ${CLOCKS_DIFFER}, 'infinity')`;
}
