import { sql } from 'kysely';
import type { Done } from '../../../domain/sequences/flow.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { fromLatestRuns, LEFT_OUT_FOR, MAIL_LEFT_OUT } from './latest-runs.ts';

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
  readonly leftOut: LatestRuns['leftOut'] | null;
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
        ${fromLatestRuns(sequenceId, version)}
      ), step as (
        select st.enrollment_id, st.node_id, st.kind, st.detail, st.outcome, lead(st.node_id) over (partition by st.enrollment_id order by st.step) as next, l.reached, l.status,
               row_number() over (partition by st.enrollment_id, st.node_id, st.outcome order by st.step) = 1 as is_first
        from latest l cross join lateral (select * from enrollment_steps where enrollment_id = l.id offset 0) st
      ), visited as (
        select node_id, outcome, next, count(*), count(*) filter (where is_first) as runs,
               count(*) filter (where is_first and reached) as reached, count(*) filter (where is_first and status = 'active') as active
        from step group by node_id, outcome, next
      ), left_out as (
        select st.node_id, ${LEFT_OUT_FOR} as reason, count(distinct st.enrollment_id) as runs
        from step st where ${MAIL_LEFT_OUT} group by grouping sets ((1, 2), (2))
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
             (select json_agg(s) from standing s) as standing, (select json_agg(m) from mailed m) as mails,
             (select json_agg(o) from left_out o) as "leftOut"`,
  );
  const { runs, visits, standing, mails, leftOut } = found!;
  return {
    runs,
    visits: visits ?? [],
    standing: new Map((standing ?? []).map(({ node_id, count }) => [node_id, count])),
    mails: mails ?? [],
    leftOut: leftOut ?? [],
  };
}
