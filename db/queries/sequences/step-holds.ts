import { sql } from 'kysely';
import { MOST_STEPS_A_MINUTE } from '../../../domain/sequences/pace.ts';
import type { HoldReason } from '../../../domain/sequences/waiting-for.ts';
import type { ContactRow, ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { HELD_BY } from '../sends/send-gates.ts';

/** What holds a step back, and since when. */
export interface StepHold {
  readonly enrollmentId: string;
  readonly step: number;
  readonly heldBy: HoldReason;
  /** When it may go on by itself; null when only a change can let it go on. */
  readonly until: Date | null;
  /** What it waits for in words, where that says more. */
  readonly detail?: string | undefined;
  readonly now: Date;
}

/** Shows what holds an active enrollment back. A late attempt changes nothing once the visit has its outcome. */
export async function holdEnrollment(em: EntityManager, { enrollmentId, step, heldBy, until, detail, now }: StepHold): Promise<void> {
  await row(
    em,
    sql`
      with standing as (
        update enrollment_steps set capped_at = case when ${heldBy === 'frequency_cap'} then coalesce(capped_at, ${now}) else capped_at end, detail = ${detail ?? null}
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null returning 1
      )
      update enrollments set waiting_for = ${`held:${heldBy}`}, wakes_at = ${until}, held_at = ${now}
      where id = ${enrollmentId} and status = 'active' and exists (select 1 from standing)`,
  );
}

/** What held the step back may be over: it is tried again. The time of an outage counts against the patience with outages, no other does. */
export async function releaseHold(em: EntityManager, enrollmentId: string, step: number, now: Date): Promise<void> {
  await row(
    em,
    sql`
      with held as (
        select id, waiting_for, held_at from enrollments where id = ${enrollmentId} and waiting_for like 'held:%' for update
      ), waited as (
        update enrollment_steps s set outage_ms = s.outage_ms + greatest(0, extract(epoch from ${now}::timestamptz - h.held_at) * 1000)::bigint
        from held h where s.enrollment_id = h.id and s.step = ${step} and h.waiting_for = 'held:provider_unavailable'
      )
      update enrollments e set waiting_for = null, wakes_at = null, held_at = null from held h where e.id = h.id`,
  );
}

/** What tells of a run at a step how fast it goes round. */
export interface RoundPace {
  /**
   * Whether it had come to the node before, and no event has ended a wait of it since: it goes round no faster than its events come, and would not
   * hear those that come while it rests.
   */
  readonly cameByItself: boolean;
  /** By how much its waits among the last MOST_STEPS_A_MINUTE steps have ended late, this one included. Milliseconds. */
  readonly lateMs: number;
}

/** Of a run that stands at this step. */
export async function roundPace(
  em: EntityManager,
  enrollmentId: string,
  { nodeId, step, now }: { readonly nodeId: string; readonly step: number; readonly now: Date },
): Promise<RoundPace> {
  const found = await row(
    em,
    sql<RoundPace>`
      with before as (
        select max(b.step) as step from enrollment_steps b where b.enrollment_id = ${enrollmentId} and b.node_id = ${nodeId} and b.step < ${step}
      )
      select exists (select 1 from before where step is not null) and not exists (
               select 1 from before join enrollment_steps r on r.step > before.step
               where r.enrollment_id = ${enrollmentId} and r.kind = 'wait_until' and r.outcome = 'event') as "cameByItself",
             coalesce(sum(greatest(0, extract(epoch from coalesce(n.at, ${now}::timestamptz) - s.until)) * 1000), 0)::double precision as "lateMs"
      from enrollment_steps s left join enrollment_steps n on n.enrollment_id = s.enrollment_id and n.step = s.step + 1
      where s.enrollment_id = ${enrollmentId} and s.step >= ${step} - ${sql.lit(MOST_STEPS_A_MINUTE)}`,
  );
  return found as RoundPace;
}

/** Shows that a run that takes too many steps rests until then before it goes on. It makes one pass a minute from now on. */
export async function slowEnrollment(
  em: EntityManager,
  enrollmentId: string,
  { until, now }: { readonly until: Date; readonly now: Date },
): Promise<void> {
  await row(
    em,
    sql`update enrollments set waiting_for = ${`held:${'too_many_steps' satisfies HoldReason}`}, wakes_at = ${until}, slowed_at = coalesce(slowed_at, ${now})
        where id = ${enrollmentId} and status = 'active'`,
  );
}

/** Shows that a refused call is made again at `until`: docs/contract/events.md 27. */
export async function showCallRetry(
  em: EntityManager,
  { enrollmentId, step, until }: { readonly enrollmentId: string; readonly step: number; readonly until: Date },
): Promise<void> {
  await row(
    em,
    sql`update enrollments set waiting_for = 'webhook', wakes_at = ${until} where id = ${enrollmentId} and status = 'active'
          and exists (select 1 from enrollment_steps where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null)`,
  );
}

/**
 * Whether the window of an enrollment that was noted as held just before is that of the project and the contact still. It waits for whoever is
 * changing one of them: as holdStands.
 */
export async function windowStands(
  em: EntityManager,
  enrollmentId: string,
  judgedBy: Pick<ProjectRow, 'send_window'> & Pick<ContactRow, 'timezone'>,
): Promise<boolean> {
  const { send_window: window, timezone } = judgedBy;
  const found = await row(
    em,
    sql<{ stands: boolean }>`
      select p.send_window is not distinct from ${window === null ? null : JSON.stringify(window)}::jsonb and c.timezone is not distinct from ${timezone} as stands
      from enrollments e join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      where e.id = ${enrollmentId} and e.status = 'active' for share of p, c`,
  );
  return found?.stands ?? false;
}

/**
 * Whether the enrollment, noted as held just before, still is. It waits for whoever is changing its sequence or project: they either
 * found the note and signal it, or are found here.
 */
export async function holdStands(em: EntityManager, enrollmentId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ held_by: string | null }>`
      select ${HELD_BY} as held_by from enrollments e join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id
      where e.id = ${enrollmentId} and e.status = 'active' for share of s, p`,
  );
  return found !== undefined && found.held_by !== null;
}
