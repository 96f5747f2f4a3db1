import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { insertSuppression, type NewSuppression } from '../../db/queries/suppressions/suppressions.ts';
import type { ConsentCause } from '../../domain/contacts/consent.ts';
import { SUPPRESSION_RULES, type SuppressionReason } from '../../domain/suppressions/suppression.ts';
import { moveContact } from '../contacts/move-contact.ts';

/**
 * Puts the address on the list and answers with the reason that is stored. Some reasons also unsubscribe a matching contact
 * (docs/contract/suppressions.md 5, 6).
 */
export async function suppress(tx: EntityManager, suppression: NewSuppression & { readonly by: ConsentCause }): Promise<SuppressionReason> {
  const { projectId, email, reason, by, now } = suppression;
  const stored = await insertSuppression(tx, suppression);
  if (SUPPRESSION_RULES[reason].unsubscribes) {
    const contact = await lockContact(tx, projectId, { email });
    if (contact) await moveContact(tx, contact, 'unsubscribed', { by, now });
  }
  return stored;
}
