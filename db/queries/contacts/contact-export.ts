import { sql } from 'kysely';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import {
  Confirmation,
  type ConfirmationRow,
  type ContactRow,
  type EnrollmentRow,
  type ProductEventRow,
  type SequenceRow,
  type SuppressionRow,
} from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Whose data are asked for. */
export type ExportedContact = Pick<ContactRow, 'id' | 'project_id' | 'email'>;

/** Product events of a contact, the newest first, with all that they say. */
export async function eventsOfContact(
  em: EntityManager,
  { id, project_id }: ExportedContact,
  place: Place,
): Promise<KeysetPage<Pick<ProductEventRow, 'id' | 'type' | 'data'> & { readonly created_at: Date }>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<Pick<ProductEventRow, 'id' | 'type' | 'data'> & { readonly created_at: Date }>`
        select id, type, data, created_at from events where contact_id = ${id} and project_id = ${project_id} and ${bounds}`,
    ),
  );
}

/** A run of a contact as it stands. */
export interface ExportedRun extends Pick<EnrollmentRow, 'id' | 'status' | 'end_reason' | 'ended_at'>, Pick<SequenceRow, 'key' | 'name'> {
  /** When it began. */
  readonly created_at: Date;
}

/** The runs of a contact, the last begun first. */
export async function runsOfContact(
  em: EntityManager,
  { id, project_id }: ExportedContact,
  place: Place,
): Promise<KeysetPage<ExportedRun>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<ExportedRun>`
        select * from (
          select e.id, q.key, q.name, e.status, e.end_reason, e.started_at as created_at, e.ended_at
          from enrollments e join sequences q on q.id = e.sequence_id where e.contact_id = ${id} and e.project_id = ${project_id}) runs
        where ${bounds}`,
    ),
  );
}

/** Each time that a contact was asked to confirm, the last first: as many as there may be of one. */
export async function confirmationsOfContact(em: EntityManager, { id, project_id }: ExportedContact): Promise<ConfirmationRow[]> {
  return rows(
    em,
    sql<ConfirmationRow>`
      select ${columnsOf(Confirmation, 'f')} from confirmations f where f.contact_id = ${id} and f.project_id = ${project_id}
      order by f.id desc limit ${sql.lit(MOST_CONFIRMATIONS)}`,
  );
}

/** A new one begins an hour after the last at the soonest. */
const MOST_CONFIRMATIONS = 1_000;

/** Why and since when the address gets no mail at all; undefined: it may. */
export async function suppressionOfContact(
  em: EntityManager,
  { project_id, email }: ExportedContact,
): Promise<Pick<SuppressionRow, 'reason' | 'created_at'> | undefined> {
  return row(
    em,
    sql<Pick<SuppressionRow, 'reason' | 'created_at'>>`
      select reason, created_at from suppressions where project_id = ${project_id} and email = ${email}
      union all
      select reason, created_at from erased_suppressions where project_id = ${project_id} and address_hash = address_hash(${project_id}, ${email})
      limit 1`,
  );
}
