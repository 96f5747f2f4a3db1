import { sql } from 'kysely';
import { type ContactStatus, nextStatus } from '../../domain/contact.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { emitAll, statusEvents } from './emit.ts';
import { wakeWatchers } from './enrollment-wakes.ts';

/** Moves a contact whose row is locked. Returns whether that changed anything. */
export async function moveContact(tx: EntityManager, contact: ContactRow, to: ContactStatus, now: Date): Promise<boolean> {
  if (nextStatus(contact.status, { status: to, resubscribe: true }) === contact.status) return false;
  const moved = await row(
    tx,
    sql<ContactRow>`update contacts set status = ${to}, updated_at = ${now} where id = ${contact.id} and project_id = ${contact.project_id} returning *`,
  );
  if (moved) await emitAll(tx, contact.project_id, statusEvents(moved));
  await wakeWatchers(tx, contact.project_id, [contact.id]);
  return true;
}
