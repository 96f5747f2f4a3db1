import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { keepConsentChanges } from '../../db/queries/contacts/consent-changes.ts';
import { setContactStatus } from '../../db/queries/contacts/contacts.ts';
import { signalWatchers } from '../../db/queries/sequences/enrollment-signals.ts';
import { emitAll, statusEvents } from '../../db/queries/webhooks/emit.ts';
import { type ContactStatus, nextStatus } from '../../domain/contacts/contact.ts';
import type { ContactChange } from './change-contacts.ts';

/** Moves a contact whose row is locked. Returns whether that changed anything. */
export async function moveContact(tx: EntityManager, contact: ContactRow, to: ContactStatus, { by, now }: ContactChange): Promise<boolean> {
  if (nextStatus(contact.status, { status: to, resubscribe: true }) === contact.status) return false;
  const moved = await setContactStatus(tx, contact, to, now);
  if (moved) {
    await keepConsentChanges(tx, [[contact, moved]], by, now);
    await emitAll(tx, contact.project_id, statusEvents(moved));
  }
  await signalWatchers(tx, contact.project_id, [contact.id]);
  return true;
}
