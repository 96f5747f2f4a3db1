import type { EntityManager } from '../db/orm.ts';
import { moveContact } from '../db/queries/contact-status.ts';
import { lockContact } from '../db/queries/contacts.ts';

/** Whether the contact became unsubscribed by this call; undefined when the project has no such contact. */
export async function unsubscribeContact(tx: EntityManager, projectId: string, id: string, now: Date): Promise<boolean | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  return contact && moveContact(tx, contact, 'unsubscribed', now);
}
