import { sql } from 'kysely';
import { type ContactStatus, nextStatus } from '../../domain/contact.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { lockContact } from './contacts.ts';
import { emitAll, statusEvents } from './emit.ts';
import { wakeWatchers } from './enrollments.ts';

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

/** Whether the contact became unsubscribed by this call; undefined when the project has no such contact. */
export async function unsubscribeContact(tx: EntityManager, projectId: string, id: string, now: Date): Promise<boolean | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  return contact && moveContact(tx, contact, 'unsubscribed', now);
}

/** The person's own way back, out of unsubscribed only. Suppressions stay. The status that the contact has then. */
export async function resubscribeContact(tx: EntityManager, projectId: string, id: string, now: Date): Promise<ContactStatus | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  if (contact?.status !== 'unsubscribed') return contact?.status;
  await moveContact(tx, contact, 'subscribed', now);
  return 'subscribed';
}
