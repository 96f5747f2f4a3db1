import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { noteChecks } from '../../db/queries/segments/membership-checks.ts';
import { emitAll, statusEvents } from '../../db/queries/webhooks/emit.ts';
import type { Origin } from '../../domain/contacts/contact.ts';

/** What all new contacts come with, in the transaction that makes them: endpoints are told who is subscribed, and segments look at them. */
export async function noteNewContacts(
  tx: EntityManager,
  projectId: string,
  contacts: readonly ContactRow[],
  origin: Pick<Origin, 'isSandboxed'>,
): Promise<void> {
  // Inserted as unsubscribed is no move into it (docs/contract/webhooks.md 7).
  const subscribed = contacts.filter(({ status }) => status === 'subscribed');
  await emitAll(tx, projectId, subscribed.flatMap(statusEvents));
  const ids = contacts.map(({ id }) => id);
  await noteChecks(tx, projectId, ids, origin);
}
