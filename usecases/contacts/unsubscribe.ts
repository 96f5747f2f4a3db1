import type { EntityManager } from '../../db/orm.ts';
import { countEngagement, engagementOf } from '../../db/queries/campaigns/campaigns.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { writeUnsubscribe } from '../../db/queries/sends/send-hits.ts';
import type { ContactChange } from './change-contacts.ts';
import { chooseContactTopics } from './choose-topics.ts';
import { moveContact } from './move-contact.ts';

export interface Unsubscribing {
  readonly projectId: string;
  readonly id: string;
  /** The mail whose link it was: one that made its reader leave counts so. */
  readonly sendId?: string | null;
}

/** Whether the contact became unsubscribed by this call; undefined when the project has no such contact. */
export async function unsubscribeContact(
  tx: EntityManager,
  { projectId, id, sendId }: Unsubscribing,
  how: ContactChange,
): Promise<boolean | undefined> {
  const contact = await lockContact(tx, projectId, { contactId: id });
  const changed = contact && (await moveContact(tx, contact, 'unsubscribed', how));
  if (changed && sendId) await countUnsubscribe(tx, sendId, how.now);
  return changed;
}

/** The same of one topic, whose mail it was. */
export async function leaveTopic(
  tx: EntityManager,
  { projectId, id, sendId }: Unsubscribing,
  topic: string,
  how: ContactChange,
): Promise<boolean | undefined> {
  const changed = await chooseContactTopics(tx, { projectId, id }, { [topic]: false }, how);
  if (changed && sendId) await countUnsubscribe(tx, sendId, how.now);
  return changed;
}

async function countUnsubscribe(tx: EntityManager, sendId: string, at: Date): Promise<void> {
  const first = await writeUnsubscribe(tx, sendId, at);
  if (first) await countEngagement(tx, engagementOf(first, 'unsubscribed'));
}
