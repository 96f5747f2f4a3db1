import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import type { ConsentCause } from '../../domain/contacts/consent.ts';
import { moveContact } from './move-contact.ts';

/** Whether the contact became unsubscribed by this call; undefined when the project has no such contact. */
export async function unsubscribeContact(
  tx: EntityManager,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  how: { readonly by: ConsentCause; readonly now: Date },
): Promise<boolean | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  return contact && moveContact(tx, contact, 'unsubscribed', how);
}
