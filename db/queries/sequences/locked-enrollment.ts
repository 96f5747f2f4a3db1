import { sql } from 'kysely';
import { MOST_STEPS_A_MINUTE } from '../../../domain/sequences/pace.ts';
import { columnsOf, withPrefix } from '../../columns.ts';
import {
  Contact,
  type ContactRow,
  Enrollment,
  type EnrollmentRow,
  type EnrollmentStepRow,
  type ProductEventRow,
  type SequenceRow,
} from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow } from '../../rows.ts';
import { HAS_GATHERED, HAS_KEPT } from './digests.ts';
import { IS_OVER } from './is-over.ts';

/** An enrollment whose row and whose contact's row this transaction holds locked. */
export interface LockedEnrollment extends EnrollmentRow {
  readonly contact: ContactRow;
  readonly sequence_key: SequenceRow['key'];
  /** `archived` also when the run was over before the sequence became something else. */
  readonly sequence_status: SequenceRow['status'];
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: ProductEventRow['data'] | null;
  /** Whether it has come to a digest. */
  readonly has_gathered: boolean;
  /** Whether events are kept for it. */
  readonly has_kept: boolean;
  /** Where it stands; undefined before the first node. */
  readonly last: LastStep | undefined;
}

export interface LastStep extends Pick<EnrollmentStepRow, 'step' | 'node_id' | 'at' | 'until' | 'outcome'> {
  /** When the step was taken that is MOST_STEPS_A_MINUTE before it. */
  readonly many_steps_ago: EnrollmentStepRow['at'] | null;
}

const CONTACT = 'contact__';
const LAST = 'last__';

/**
 * Locks the contact first, then the enrollment: every transaction that locks both does so in this order, against deadlocks. The rows are read
 * by a second statement, which sees what was committed while the first one waited for the locks.
 */
export async function lockEnrollment(tx: EntityManager, enrollmentId: string): Promise<LockedEnrollment | undefined> {
  const locked = await preparedRow(
    tx,
    sql`
      with contact as materialized (
        select 1 from contacts c join enrollments e on e.contact_id = c.id and e.project_id = c.project_id where e.id = ${enrollmentId} for update of c)
      select 1 from enrollments e where e.id = ${enrollmentId} and exists (select 1 from contact) for update of e`,
  );
  if (!locked) return undefined;
  const found = await preparedRow(
    tx,
    sql<Omit<LockedEnrollment, 'contact' | 'last'>>`
      select ${columnsOf(Enrollment, 'e')}, ${columnsOf(Contact, 'c', { prefix: CONTACT })}, s.key as sequence_key,
             case when ${IS_OVER} then 'archived' else s.status end as sequence_status, ev.data as event_data, ${HAS_GATHERED} as has_gathered, ${HAS_KEPT} as has_kept,
             l.step as last__step, l.node_id as last__node_id, l.at as last__at, l.until as last__until,
             l.outcome as last__outcome, m.at as last__many_steps_ago
      from enrollments e join contacts c on c.id = e.contact_id and c.project_id = e.project_id join sequences s on s.id = e.sequence_id
      left join events ev on ev.id = e.event_id
      left join lateral (
        select st.step, st.node_id, st.at, st.until, st.outcome from enrollment_steps st where st.enrollment_id = e.id order by st.step desc limit 1
      ) l on true
      left join enrollment_steps m on m.enrollment_id = e.id and m.step = l.step - ${sql.lit(MOST_STEPS_A_MINUTE)}
      where e.id = ${enrollmentId}`,
  );
  if (!found) return undefined;
  const last = withPrefix<LastStep>(found, LAST);
  return { ...found, contact: withPrefix<ContactRow>(found, CONTACT), last: last.step === null ? undefined : last };
}
