import type { EntityManager } from '../db/orm.ts';
import { closeRecipients, type RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import { keepSandboxReports, type ReportedSandboxSend } from '../db/queries/inbound/sandbox-reports.ts';
import { noteRefusedCopies } from '../db/queries/sends/copies.ts';
import { type ClosedSend, closedSend, closeMany, type Ended, type SendClosing } from '../db/queries/sends/send-outcomes.ts';
import type { SandboxReported } from '../domain/sends/sandbox.ts';
import { leftOutBy, type RefusedCopy } from '../domain/sends/send-details.ts';

/**
 * What follows where the provider said at the submission that the address does not exist: in the transaction that gave the send its outcome.
 * `message`: the provider's words. `copy`: whose address it is, if not that of `to`.
 */
export type ReportBounce = (tx: EntityManager, send: ClosedSend, message: string, copy?: string) => Promise<void>;

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
  const {
    bounced = [],
    sandboxed = [],
    others = [],
  } = Object.groupBy(batch, (ended) => {
    if (bounceMessage(ended) !== undefined || refusedCopies(ended).length > 0) return 'bounced';
    return reportsOf(ended).length > 0 ? 'sandboxed' : 'others';
  });
  const kept: string[] = [];
  if (others.length > 0) await write(em, others);
  for (const ended of bounced) {
    const message = bounceMessage(ended);
    const refused = refusedCopies(ended);
    await em.transactional(async (tx) => {
      const [id] = await write(tx, [ended]);
      if (!id) return;
      kept.push(...(await keepSandboxReports(tx, reportedOf(ended, idOf))));
      const send = await closedSend(tx, id);
      if (message !== undefined) await reportBounce(tx, send, message);
      if (refused.length > 0) await noteRefusedCopies(tx, id, refused.map(leftOutBy));
      // In one order for everybody who locks several contacts.
      const gone = refused.filter(({ badAddress }) => badAddress).sort((a, b) => (a.email < b.email ? -1 : 1));
      for (const copy of gone) await reportBounce(tx, send, copy.message, copy.email);
    });
  }
  if (sandboxed.length === 0) return kept;
  await em.transactional(async (tx) => {
    const closed = new Set(await write(tx, sandboxed));
    const told = sandboxed.filter((ended) => closed.has(idOf(ended)));
    kept.push(
      ...(await keepSandboxReports(
        tx,
        told.flatMap((ended) => reportedOf(ended, idOf)),
      )),
    );
  });
  return kept;
}

function reportedOf<T extends Ended>(ended: T, idOf: Writing<T>['idOf']): ReportedSandboxSend[] {
  return reportsOf(ended).map((reported, nth) => ({ sendId: idOf(ended), nth, ...reported }));
}

const NONE: readonly never[] = [];

function refusedCopies({ outcome }: Ended): readonly RefusedCopy[] {
  return (outcome.status === 'sent' && outcome.refusedCopies) || NONE;
}

/** What the provider said of an address that does not exist; undefined of every other outcome. */
function bounceMessage({ outcome }: Ended): string | undefined {
  return outcome.status === 'failed' && outcome.badAddress ? outcome.message : undefined;
}

/** Of recipients whom a mail has not left for. */
function reportsOf({ outcome }: Ended): readonly SandboxReported[] {
  return (outcome.status === 'sent' && outcome.sandboxReports) || NONE;
}
