import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { changedTopics, chooseTopics, type TopicChoices } from '../../domain/contacts/topic.ts';
import { type ContactChange, changeContacts } from './change-contacts.ts';

/**
 * The person's own choices. Whether that changed anything; undefined when the project has no such contact. The status stays: who has unsubscribed
 * gets nothing, whatever is on.
 */
export async function chooseContactTopics(
  tx: EntityManager,
  { projectId, id }: Pick<ContactRow, 'id'> & { readonly projectId: string },
  choices: TopicChoices,
  how: ContactChange,
): Promise<boolean | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  if (!contact) return undefined;
  const topics = chooseTopics(contact.topics, choices, { resubscribe: true });
  if (!changedTopics(contact.topics, topics)) return false;
  await changeContacts(tx, [contact], [{ ...contact, topics }], how);
  return true;
}
