import type { ConsentCause } from '../../../domain/contacts/consent.ts';
import { type ContactStatus, nextStatus } from '../../../domain/contacts/contact.ts';
import type { ContactRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { tables } from '../../tables.ts';
import { wakeWatchers } from '../sequences/enrollment-wakes.ts';
import { emitAll, statusEvents } from '../webhooks/emit.ts';
import { keepConsentChanges } from './consent-changes.ts';

/** Moves a contact whose row is locked. Returns whether that changed anything. */
export async function moveContact(
  tx: EntityManager,
  contact: ContactRow,
  to: ContactStatus,
  { by, now }: { readonly by: ConsentCause; readonly now: Date },
): Promise<boolean> {
  if (nextStatus(contact.status, { status: to, resubscribe: true }) === contact.status) return false;
  const stored = tables(tx).updateTable('contacts').where('id', '=', contact.id).where('project_id', '=', contact.project_id);
  const moved = await stored.set({ status: to, updated_at: now }).returningAll().executeTakeFirst();
  if (moved) {
    await keepConsentChanges(tx, [[contact, moved]], by, now);
    await emitAll(tx, contact.project_id, statusEvents(moved));
  }
  await wakeWatchers(tx, contact.project_id, [contact.id]);
  return true;
}
