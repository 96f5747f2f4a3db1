import type { EntityManager } from '../db/orm.ts';
import { closeRecipients, type RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import { keepSandboxReports } from '../db/queries/inbound/sandbox-reports.ts';
import { type ClosedSend, closedSend, closeMany, type Ended, type SendClosing } from '../db/queries/sends/send-outcomes.ts';
import type { SandboxReport } from '../domain/sends/sandbox.ts';

/**
 * What follows where the provider said at the submission that the address does not exist: in the transaction that gave the send its outcome.
 * `message`: the provider's words.
 */
export type ReportBounce = (tx: EntityManager, send: ClosedSend, message: string) => Promise<void>;

/**
 * Gives the sends of a batch their outcomes, with the bounces among them; a late repetition changes nothing. Answers with the ids of reports that
 * were kept of those that have not left.
 */
export async function writeSendOutcomes(
  em: EntityManager,
  batch: readonly SendClosing[],
  reportBounce: ReportBounce,
): Promise<readonly string[]> {
  return writeWithReports(em, batch, { write: closeMany, idOf: ({ id }) => id }, reportBounce);
}

/** The same for mails of campaigns, whose rows are written with their outcomes. */
export async function writeRecipientOutcomes(
  em: EntityManager,
  batch: readonly RecipientClosing[],
  reportBounce: ReportBounce,
): Promise<void> {
  await writeWithReports(em, batch, { write: closeRecipients, idOf: ({ intent }) => intent.id }, reportBounce);
}

/** How outcomes of one kind are written, and of which sends they are. */
interface Writing<T> {
  readonly write: (em: EntityManager, batch: readonly T[]) => Promise<readonly string[]>;
  readonly idOf: (ended: T) => string;
}

/** In one statement; what is reported of a mail already is written in the same transaction. */
async function writeWithReports<T extends Ended>(
  em: EntityManager,
  batch: readonly T[],
  { write, idOf }: Writing<T>,
  reportBounce: ReportBounce,
): Promise<readonly string[]> {
  const sandboxed = batch.filter((ended) => reportOf(ended) !== undefined);
  const others = batch.filter((ended) => bounceMessage(ended) === undefined && reportOf(ended) === undefined);
  if (others.length > 0) await write(em, others);
  for (const ended of batch) {
    const message = bounceMessage(ended);
    if (message === undefined) continue;
    await em.transactional(async (tx) => {
      const [id] = await write(tx, [ended]);
      if (id) await reportBounce(tx, await closedSend(tx, id), message);
    });
  }
  if (sandboxed.length === 0) return [];
  return em.transactional(async (tx) => {
    const closed = new Set(await write(tx, sandboxed));
    const told = sandboxed.filter((ended) => closed.has(idOf(ended)));
    return keepSandboxReports(
      tx,
      told.map((ended) => ({ sendId: idOf(ended), report: reportOf(ended) as SandboxReport })),
    );
  });
}

/** What the provider said of an address that does not exist; undefined of every other outcome. */
function bounceMessage({ outcome }: Ended): string | undefined {
  return outcome.status === 'failed' && outcome.badAddress ? outcome.message : undefined;
}

/** Of a mail that has not left; undefined of every other. */
function reportOf({ outcome }: Ended): SandboxReport | undefined {
  return outcome.status === 'sent' ? outcome.sandboxReport : undefined;
}
