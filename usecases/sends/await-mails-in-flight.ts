import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../../db/orm.ts';
import { isInOpenBatch } from '../../db/queries/contacts/erasures.ts';
import { countMailsInFlight, type MailsOf, transactionsWritingSends } from '../../db/queries/sends/mails-in-flight.ts';
import { IN_FLIGHT_MS, IN_FLIGHT_WITH_ATTACHMENTS_MS } from '../../domain/sends/submission-times.ts';

const POLL_MS = 25;

/**
 * Waits until none of these mails, cancelled just before, is at the provider: after the answer to a cancellation, or an erasure, nothing more
 * is submitted (docs/contract/events.md 24).
 */
export async function awaitMailsInFlight(em: EntityManager, mails: MailsOf): Promise<void> {
  if ('enrollmentIds' in mails && mails.enrollmentIds.length === 0) return;
  // Runs send no attachments.
  const deadline = performance.now() + ('erased' in mails ? IN_FLIGHT_WITH_ATTACHMENTS_MS : IN_FLIGHT_MS);
  const until = async (isSettled: () => Promise<boolean>): Promise<void> => {
    while (!(await isSettled()) && performance.now() < deadline) await sleep(POLL_MS);
  };
  // A single run is cancelled by its row, which an intent shares. The runs of a sequence end by the sequence's, which none does, and none
  // shares a contact's.
  if (!('enrollmentIds' in mails)) {
    const before = new Set(await transactionsWritingSends(em));
    await until(async () => before.size === 0 || (await transactionsWritingSends(em)).every((id) => !before.has(id)));
  }
  await until(async () => (await countMailsInFlight(em, mails)) === 0);
  if ('erased' in mails) await until(async () => !(await isInOpenBatch(em, mails.erased)));
}
