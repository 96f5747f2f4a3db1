import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { confirmationsToStart, endConfirmations, openConfirmations } from '../../db/queries/contacts/confirmations.ts';
import { confirmationSignal, confirmationStart, enqueue, enqueueEach } from '../../db/queries/operations/outbox.ts';
import { type AskingBrand, asksToConfirm } from '../../domain/contacts/confirmation.ts';
import type { ContactInput } from '../../domain/contacts/contact.ts';

/** What a call said of a contact, and what became of it. */
export interface SignedUp {
  readonly input: ContactInput;
  /** As it is after the call; its row is locked. */
  readonly contact: Pick<ContactRow, 'id' | 'status' | 'brand_id'>;
  /** Whether the call made it. */
  readonly isNew: boolean;
}

interface Asking {
  readonly projectId: string;
  /** By slug. */
  readonly brands: ReadonlyMap<string, AskingBrand>;
  readonly now: Date;
  readonly newId: () => string;
}

/** Asks those who sign up by a call to confirm it, each once, in the transaction of the call. */
export async function askToConfirm(
  tx: EntityManager,
  signedUp: readonly SignedUp[],
  { projectId, brands, now, newId }: Asking,
): Promise<void> {
  const asked = signedUp.filter(({ input, contact, isNew }) =>
    asksToConfirm({ input, isNew, became: contact.status }, brands.get(contact.brand_id)),
  );
  const each = new Map(asked.map(({ contact: { id }, isNew }) => [id, isNew]));
  if (each.size === 0) return;
  const signUps = [...each].map(([contactId, madeContact]) => ({ id: newId(), contactId, madeContact }));
  const opened = await openConfirmations(tx, projectId, signUps, now);
  // One that runs looks again.
  await enqueue(
    tx,
    projectId,
    opened.map(({ id }) => confirmationStart(id)),
  );
}

/** Of contacts that are not pending any more, or not there: nobody is asked. */
export async function stopAsking(tx: EntityManager, projectId: string, contactIds: readonly string[], now: Date): Promise<void> {
  if (contactIds.length === 0) return;
  const ended = await endConfirmations(tx, projectId, contactIds, now);
  await enqueue(
    tx,
    projectId,
    ended.map(({ id }) => confirmationSignal(id)),
  );
}

/** Starts the workflows of those confirmations that wait still; one whose start is on its way already is passed over. Returns how many. */
export async function restartConfirmations(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await confirmationsToStart(tx, ids), confirmationStart);
}
