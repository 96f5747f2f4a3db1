import type { EntityManager } from '../db/orm.ts';
import { closeRecipients, type RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import { type ClosedSend, closedSend, closeMany, type Ended, type SendClosing } from '../db/queries/sends/send-outcomes.ts';

/**
 * What follows where the provider said at the submission that the address does not exist: in the transaction that gave the send its outcome.
 * `message`: the provider's words.
 */
export type ReportBounce = (tx: EntityManager, send: ClosedSend, message: string) => Promise<void>;

/** Gives the sends of a batch their outcomes, with the bounces among them; a late repetition changes nothing. */
export async function writeSendOutcomes(em: EntityManager, batch: readonly SendClosing[], reportBounce: ReportBounce): Promise<void> {
  await writeWithBounces(em, batch, closeMany, reportBounce);
}

/** The same for mails of campaigns, whose rows are written with their outcomes. */
export async function writeRecipientOutcomes(
  em: EntityManager,
  batch: readonly RecipientClosing[],
  reportBounce: ReportBounce,
): Promise<void> {
  await writeWithBounces(em, batch, closeRecipients, reportBounce);
}

/** In one statement; with an address that does not exist the bounce is written in the same transaction. */
async function writeWithBounces<T extends Ended>(
  em: EntityManager,
  batch: readonly T[],
  write: (em: EntityManager, batch: readonly T[]) => Promise<readonly string[]>,
  reportBounce: ReportBounce,
): Promise<void> {
  const others = batch.filter((ended) => bounceMessage(ended) === undefined);
  if (others.length > 0) await write(em, others);
  for (const ended of batch) {
    const message = bounceMessage(ended);
    if (message === undefined) continue;
    await em.transactional(async (tx) => {
      const [id] = await write(tx, [ended]);
      if (id) await reportBounce(tx, await closedSend(tx, id), message);
    });
  }
}

/** What the provider said of an address that does not exist; undefined of every other outcome. */
function bounceMessage({ outcome }: Ended): string | undefined {
  return outcome.status === 'failed' && outcome.badAddress ? outcome.message : undefined;
}
