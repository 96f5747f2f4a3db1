import { sql } from 'kysely';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import {
  Confirmation,
  type ConfirmationRow,
  type ContactImportRow,
  type ContactRow,
  type ProductEventRow,
  type StoredRefusedRow,
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

/** Each time that a contact was asked to confirm, the last first. */
export async function confirmationsOfContact(
  em: EntityManager,
  { id, project_id }: ExportedContact,
  place: Place,
): Promise<KeysetPage<ConfirmationRow>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<ConfirmationRow>`
        select ${columnsOf(Confirmation, 'f')} from confirmations f where f.contact_id = ${id} and f.project_id = ${project_id} and ${bounds}`,
    ),
  );
}

/** A row of a file with the address of a contact, which an import refused. */
export interface RefusedRowOfContact extends Pick<StoredRefusedRow, 'import_id' | 'row' | 'reason' | 'message' | 'cells'> {
  readonly id: string;
  readonly filename: ContactImportRow['filename'];
  /** When the import was begun. */
  readonly imported_at: Date;
  readonly columns: ContactImportRow['settings']['columns'];
  /** When it was refused. */
  readonly created_at: Date;
}

/** Refused rows with the address of a contact, the last refused first. */
export async function refusedRowsOf(
  em: EntityManager,
  { project_id, email }: ExportedContact,
  place: Place,
): Promise<KeysetPage<RefusedRowOfContact>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<RefusedRowOfContact>`
        select * from (
          select r.import_id || ' ' || lpad(r.row::text, 10, '0') as id, r.import_id, r.row, r.reason, r.message, r.cells, r.at as created_at,
            i.filename, i.created_at as imported_at, i.settings -> 'columns' as columns
          from import_refusals r join imports i on i.id = r.import_id where r.email = ${email} and i.project_id = ${project_id}) refused
        where ${bounds}`,
    ),
  );
}

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
