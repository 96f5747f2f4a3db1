import type { EntityManager } from '../../db/orm.ts';
import { type ConfirmedBy, confirm, type LinkedConfirmation } from '../../db/queries/contacts/confirmations.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { confirmationSignal, enqueue } from '../../db/queries/operations/outbox.ts';
import { emit } from '../../db/queries/webhooks/emit.ts';
import { acceptEvent } from '../sequences/accept-event.ts';
import { moveContact } from './move-contact.ts';

/** The product event of it, by which sequences are entered. */
const CONFIRMED = 'contact.confirmed';

interface Confirming {
  readonly by: ConfirmedBy;
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * The person's own yes: the contact is subscribed, what shows that is kept, endpoints are told, and sequences that `contact.confirmed` triggers are
 * entered, in one transaction and once. Returns whether the contact is subscribed.
 */
export async function confirmContact(
  tx: EntityManager,
  { id, project_id: projectId, contact_id: contactId, default_brand }: LinkedConfirmation,
  { by, now, newId }: Confirming,
): Promise<boolean> {
  const contact = await lockContact(tx, projectId, { contactId });
  if (!contact) return false;
  const isPending = contact.status === 'pending';
  if (!isPending || !(await confirm(tx, id, by, now))) return contact.status === 'subscribed';
  const { ip, userAgent } = by;
  await moveContact(tx, contact, 'subscribed', { by: { cause: 'confirmation', id, person: { ip, userAgent } }, now });
  await emit(tx, projectId, {
    type: CONFIRMED,
    contact: { ...contact, status: 'subscribed', updated_at: now },
    adds: { confirmed_at: now.toISOString() },
  });
  await enqueue(tx, projectId, [confirmationSignal(id)]);
  await acceptEvent(tx, {
    project: { id: projectId, default_brand },
    type: CONFIRMED,
    recipient: { contactId },
    data: {},
    exitSequences: [],
    isSandboxed: false,
    caller: { ip, userAgent },
    now,
    newId,
  });
  return true;
}
