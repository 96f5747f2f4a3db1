import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { COUNTED_TO } from './attention.ts';

/** The latest so many are looked at: a flood of failures is told as well by these. */
const LOOKED_AT = 5 * COUNTED_TO;
/** A reason is for people, and need not be whole. */
const REASON_CHARS = 200;

export interface Failures {
  /** At most COUNTED_TO. */
  readonly count: number;
  /** The commonest. */
  readonly reason: string;
}

export interface FailingTemplate extends Failures {
  /** Its key; NO_TEMPLATE for mails whose call brought their content. */
  readonly template: string;
}

/**
 * Templates by which mails could not be rendered since then, the one with the most first. Mails of tests are not meant, nor those that were sent again.
 */
export async function failingTemplates(em: EntityManager, projectId: string, since: Date): Promise<FailingTemplate[]> {
  return rows(
    em,
    sql<FailingTemplate>`
      select template, least(count(*), ${sql.lit(COUNTED_TO)}) as count,
             left(mode() within group (order by substr(error, length('render_failed: ') + 1)), ${sql.lit(REASON_CHARS)}) as reason
      from (${unrendered(projectId, since)}) s group by template order by count desc, template limit 100`,
  );
}

export interface FailingSequence extends Failures {
  readonly key: string;
  readonly name: string;
}

/** Sequences of which runs failed since then, or had a mail that could not be rendered: the one with the most such runs first. */
export async function failingSequences(em: EntityManager, projectId: string, since: Date): Promise<FailingSequence[]> {
  return rows(
    em,
    sql<FailingSequence>`
      with failed as (
        select e.id, e.sequence_id, coalesce(last.detail, 'failed') as reason from (
          select id, sequence_id from enrollments where project_id = ${projectId} and end_reason = 'failed' and ended_at >= ${since}
          order by ended_at desc limit ${sql.lit(LOOKED_AT)}) e
        left join lateral (select detail from enrollment_steps t where t.enrollment_id = e.id order by t.step desc limit 1) last on true
        union all
        select e.id, e.sequence_id, s.error from (${unrendered(projectId, since)}) s
        join enrollments e on e.id = s.enrollment_id
      )
      select q.key, q.name, least(count(distinct f.id), ${sql.lit(COUNTED_TO)}) as count,
             left(mode() within group (order by f.reason), ${sql.lit(REASON_CHARS)}) as reason
      from failed f join sequences q on q.id = f.sequence_id and q.deleted_at is null
      group by q.id order by count desc, q.key limit 100`,
  );
}

/** The predicate of sends_unrendered_idx has to be seen in the text. */
function unrendered(projectId: string, since: Date) {
  return sql`
    select template, enrollment_id, error from sends
    where project_id = ${projectId} and status = 'failed' and error like 'render_failed%' and created_at >= ${since}
      and source_type <> 'test' and retried_as is null
    order by created_at desc limit ${sql.lit(LOOKED_AT)}`;
}
