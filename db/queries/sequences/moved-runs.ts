import { sql } from 'kysely';
import { MOVED } from '../../../domain/sequences/end-reason.ts';
import { KINDS_FINISHING_AFTER_END } from '../../../domain/sequences/kinds/node-kinds.ts';
import type { StepReport } from '../../../workflows/contracts.ts';
import type { EnrollmentRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** What came of a mail or a call that was in flight when its run was moved; that it was not made says less than where the run went. */
const FINISHED: readonly string[] = ['sent', 'called', 'failed'];

/** Takes an active run, whose row is locked, from the step at which it stands, which may be a throttle that it has not passed, and into a version of the graph: what it does there is the caller's to say. */
export async function leaveStep(
  tx: EntityManager,
  enrollmentId: string,
  { step, version, detail }: { readonly step: number | undefined; readonly version: number; readonly detail: string },
): Promise<void> {
  await row(
    tx,
    sql`
      with left_step as (
        update enrollment_steps set outcome = ${sql.lit(MOVED)}, detail = concat_ws('; ', detail, ${detail}::text)
        where enrollment_id = ${enrollmentId} and step = ${step ?? null}::integer and outcome is null
      ), unpassed as (
        delete from throttle_passes where enrollment_id = ${enrollmentId} and at > clock_timestamp()
      ), came_in as (
        insert into enrollment_moves (enrollment_id, step, version) select id, ${step ?? 0}, sequence_version from enrollments where id = ${enrollmentId}
        on conflict do nothing
      )
      update enrollments set sequence_version = ${version}, moved_step = ${step ?? 0}, waiting_for = null, wakes_at = null, held_at = null
      where id = ${enrollmentId}`,
  );
}

/** What was in flight at a step when its run was moved away has its outcome in the trace, too. Whether it was so. */
export async function recordFinished(tx: EntityManager, enrollmentId: string, { step, outcome, detail }: StepReport): Promise<boolean> {
  if (!FINISHED.includes(outcome)) return false;
  const recorded = await row(
    tx,
    sql`
      with recorded as (
        update enrollment_steps set outcome = ${outcome}, detail = concat_ws('; ', ${detail ?? null}::text, detail)
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome = ${sql.lit(MOVED)} and kind = any(${KINDS_FINISHING_AFTER_END}) returning 1
      ), counted as (
        update enrollments set failed_steps = failed_steps + 1
        where ${outcome === 'failed'} and id = ${enrollmentId} and exists (select 1 from recorded)
      )
      select 1 from recorded`,
  );
  return recorded !== undefined;
}

/** A run that failed is under way again, unless its contact is in the sequence by another one and may not be twice. Whether it is. */
export async function reviveRun(
  tx: EntityManager,
  { id, sequence_id, contact_id, sandboxed }: Pick<EnrollmentRow, 'id' | 'sequence_id' | 'contact_id' | 'sandboxed'>,
  { mayBeTwice, now }: { readonly mayBeTwice: boolean; readonly now: Date },
): Promise<boolean> {
  const revived = await row(
    tx,
    sql`
      update enrollments e set status = 'active', end_reason = null, ended_at = null, hops = 0, retried_at = ${now}
      where e.id = ${id} and e.status = 'cancelled' and e.end_reason = 'failed' and (${mayBeTwice} or not exists (
        select 1 from enrollments o
        where o.contact_id = ${contact_id} and o.sequence_id = ${sequence_id} and o.status = 'active' and o.sandboxed = ${sandboxed}))
      returning 1`,
  );
  return revived !== undefined;
}
