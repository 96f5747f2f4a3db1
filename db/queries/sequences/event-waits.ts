import { sql } from 'kysely';
import { type ContactRow, Enrollment, type EnrollmentRow, type EnrollmentStepRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRows } from '../../rows.ts';
import { HAS_KEPT } from './digests.ts';
import { IS_OVER } from './is-over.ts';

/** An enrollment whose row is locked, and the step at which it stands. */
export interface ActiveRun extends Pick<EnrollmentRow, 'id' | 'sequence_id' | 'sequence_version'> {
  readonly step: EnrollmentStepRow['step'] | null;
  readonly node_id: EnrollmentStepRow['node_id'] | null;
  /** Whether events are kept for it. */
  readonly has_kept: boolean;
}

/** The contact's enrollments that are active and not over, the sandboxed ones or the others, locked in the order of their ids. */
export async function lockActiveRuns(
  tx: EntityManager,
  contact: Pick<ContactRow, 'id' | 'project_id'>,
  isSandboxed: boolean,
): Promise<ActiveRun[]> {
  return preparedRows(
    tx,
    sql<ActiveRun>`
      select e.id, e.sequence_id, e.sequence_version, st.step, st.node_id, ${HAS_KEPT} as has_kept
      from enrollments e join sequences s on s.id = e.sequence_id
      left join enrollment_steps st on st.enrollment_id = e.id and st.outcome is null
      where e.contact_id = ${contact.id} and e.project_id = ${contact.project_id} and e.status = 'active'
        and e.sandboxed = ${isSandboxed} and not ${IS_OVER} order by e.id for update of e`,
  );
}

/** From here on its mails and conditions see this event. */
export async function setLatestEvent(tx: EntityManager, enrollmentId: string, eventId: string): Promise<void> {
  await tx.nativeUpdate(Enrollment, { id: enrollmentId }, { event_id: eventId });
}
