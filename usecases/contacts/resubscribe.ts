import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import type { ContactStatus } from '../../domain/contacts/contact.ts';
import type { ContactChange } from './change-contacts.ts';
import { moveContact } from './move-contact.ts';

/** The person's own way back, out of unsubscribed only. Suppressions stay. The status that the contact has then. */
export async function resubscribeContact(
  tx: EntityManager,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  how: ContactChange,
): Promise<ContactStatus | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  if (contact?.status !== 'unsubscribed') return contact?.status;
  await moveContact(tx, contact, 'subscribed', how);
  return 'subscribed';
}
