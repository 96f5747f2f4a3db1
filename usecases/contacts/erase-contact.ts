import type { ErasureRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findContact, lockContact } from '../../db/queries/contacts/contacts.ts';
import { deleteContact, eraseTraces, hashSuppression, leaveAudiences, openErasures } from '../../db/queries/contacts/erasures.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { deleteScheduledTo, eraseScheduledCopies } from '../../db/queries/sends/scheduled-sends.ts';
import { lockRunsOf } from '../../db/queries/sequences/enrollment-ends.ts';
import { cancelRuns } from '../sequences/end-enrollment.ts';
import { stopAsking } from './ask-to-confirm.ts';

/**
 * Deletes a contact, ends its runs and takes it out of audiences: no mail is opened to it from here on. What tells of it elsewhere is erased
 * by `finishErasure` once the mails in flight have ended. undefined when the project has no such contact, or it is not wanted: asked with its row locked.
 */
export async function beginErasure(
  em: EntityManager,
  projectId: string,
  id: string,
  isWanted: (tx: EntityManager) => Promise<boolean> = async () => true,
): Promise<ErasureRow | undefined> {
  return em.transactional(async (tx) => {
    // Campaigns are locked before contacts by everybody who locks both; the address of a contact never changes.
    const email = (await findContact(tx, projectId, id))?.email;
    if (email === undefined) return undefined;
    while (await leaveAudiences(tx, projectId, email));
    const contact = await lockContact(tx, projectId, { contactId: id });
    if (!contact || !(await isWanted(tx))) return undefined;
    // The clock that mails are dated by: those to the address go up to this instant.
    const now = await databaseClock(tx);
    await stopAsking(tx, projectId, [id], now);
    await cancelRuns(tx, await lockRunsOf(tx, contact), 'cancelled', now);
    await deleteScheduledTo(tx, projectId, contact);
    await eraseScheduledCopies(tx, projectId, contact.email);
    await hashSuppression(tx, projectId, email);
    return deleteContact(tx, contact, now);
  });
}

/** `nobody`: the id that its runs have from then on. */
export async function finishErasure(em: EntityManager, erasure: ErasureRow, nobody: string): Promise<void> {
  await em.transactional((tx) => eraseTraces(tx, erasure, nobody));
}

/** By then whoever began it has ended it, or has died. */
const CUT_OFF_AFTER_MS = 60_000;
const AT_ONCE = 100;

/** Ends erasures that were cut off. */
export async function finishCutOffErasures(em: EntityManager, now: Date, newId: () => string): Promise<void> {
  for (const erasure of await openErasures(em, new Date(now.getTime() - CUT_OFF_AFTER_MS), AT_ONCE))
    await finishErasure(em, erasure, newId());
}
