import type { EntityManager } from '../../db/orm.ts';
import { hasReported, lockReportedSend, lockUnapplied, markApplied } from '../../db/queries/inbound/provider-events.ts';
import { closeAsReported } from '../../db/queries/sends/late-truth.ts';
import { DSN } from '../../domain/inbound/dsn.ts';
import { hasCopies, reportedCopy } from '../../domain/sends/send-details.ts';
import { recordHits } from '../sends/record-hits.ts';
import { applyCopyEvent, applyProviderEvent } from './apply-provider-event.ts';

/**
 * Applies a provider's event that was kept, once, however many calls try at the same time. One about a send that nobody knows stays: the
 * submission may be recorded a moment later. Returns whether this call was the one.
 */
export async function recordProviderEvent(
  em: EntityManager,
  eventId: string,
  { softBounceLimit, now }: { readonly softBounceLimit: number; readonly now: Date },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const event = await lockUnapplied(tx, eventId);
    if (!event) return false;
    const send = await lockReportedSend(tx, event);
    if (!send) return false;
    // Nobody knew whether it had left: what is reported of it says that it had.
    if (send.status === 'failed') await closeAsReported(tx, send.id, event.provider_ids[0]);
    const { type, details, occurred_at: occurredAt } = event;
    // A mail server names whom it is about; a report that does not may be about any recipient of the mail.
    const isVague = event.provider === DSN && event.email === null && hasCopies(send.details);
    const copy = isVague ? null : reportedCopy(send, event.email);
    const about = { id: send.id, to_email: copy === undefined ? send.to_email : (copy ?? '') };
    if (type === 'opened' || type === 'clicked') {
      await markApplied(tx, event, about, now);
      // What an erased contact does is nobody's business.
      if (send.to_email === '') return true;
      const at = { firstAt: occurredAt, lastAt: occurredAt };
      await recordHits(tx, [send], [{ sendId: send.id, kind: type, url: details.url, isBot: false, count: 1, ...at }]);
    } else {
      const isFirst = !(await hasReported(tx, send.id, type, hasCopies(send.details) && about.to_email ? about.to_email : undefined));
      await markApplied(tx, event, about, now);
      const report = { status: type, bounce: details.bounce, isDelay: details.isDelay, occurredAt, isFirst, softBounceLimit, now };
      if (copy === undefined) await applyProviderEvent(tx, send, report);
      else if (copy !== null) await applyCopyEvent(tx, send, copy, report);
    }
    return true;
  });
}
