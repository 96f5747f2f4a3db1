import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { setContactStatus } from '../../db/queries/contacts/contacts.ts';
import { type ContactStatus, nextStatus } from '../../domain/contacts/contact.ts';
import { type ContactChange, noteContactChanges } from './change-contacts.ts';

/** Moves a contact whose row is locked. Returns whether that changed anything. */
export async function moveContact(tx: EntityManager, contact: ContactRow, to: ContactStatus, change: ContactChange): Promise<boolean> {
  if (nextStatus(contact.status, { status: to, resubscribe: true }) === contact.status) return false;
  const moved = await setContactStatus(tx, contact, to, change.now);
  if (moved) await noteContactChanges(tx, contact.project_id, [[contact, moved]], change);
  return true;
}
