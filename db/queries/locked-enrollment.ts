import { sql } from 'kysely';
import { columnsOf } from '../columns.ts';
import { Contact, type ContactRow, Enrollment, type EnrollmentRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow } from '../rows.ts';

/** An enrollment whose row and whose contact's row this transaction holds locked. */
export interface LockedEnrollment extends EnrollmentRow {
  readonly contact: ContactRow;
  readonly project_slug: string;
  readonly sequence_key: string;
  readonly sequence_status: string;
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: Readonly<Record<string, unknown>> | null;
}

/** The contact first, then the enrollment: whoever locks both does it in this order. */
export async function lockEnrollment(tx: EntityManager, enrollmentId: string): Promise<LockedEnrollment | undefined> {
  const contact = await hotRow(
    tx,
    sql<ContactRow>`select ${columnsOf(Contact, 'c')} from contacts c join enrollments e on e.contact_id = c.id where e.id = ${enrollmentId} for update of c`,
  );
  if (!contact) return undefined;
  const enrollment = await hotRow(
    tx,
    sql<Omit<LockedEnrollment, 'contact'>>`
      select ${columnsOf(Enrollment, 'e')}, p.slug as project_slug, s.key as sequence_key, s.status as sequence_status, ev.data as event_data
      from enrollments e join projects p on p.id = e.project_id join sequences s on s.id = e.sequence_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId} for update of e`,
  );
  return enrollment && { ...enrollment, contact };
}
