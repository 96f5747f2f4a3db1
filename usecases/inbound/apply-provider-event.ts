import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { countEngagement, engagementOf } from '../../db/queries/campaigns/campaigns.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { setMailStatus, softBouncesInARow } from '../../db/queries/inbound/mail-status.ts';
import { emit } from '../../db/queries/webhooks/emit.ts';
import { type Bounce, furtherStatus, type MailStatus } from '../../domain/inbound/event.ts';
import { moveContact } from '../contacts/move-contact.ts';
import { tellOfChange } from '../contacts/tell-of-change.ts';
import { suppress } from '../suppressions/suppress.ts';

/** What became of a mail after its submission. */
export interface MailReport {
  readonly status: MailStatus;
  /** Of a bounce. */
  readonly bounce?: Bounce | undefined;
  /** Of `queued`: the receiver puts it off. */
  readonly isDelay?: boolean | undefined;
  readonly occurredAt: Date;
  /** The first report of its kind about this send: only that one is an event for webhooks. */
  readonly isFirst: boolean;
  /** So many soft bounces in a row suppress the address. */
  readonly softBounceLimit: number;
  readonly now: Date;
}

/** Of a bounce of which nobody says more. */
const UNCLEAR: Bounce = { kind: 'soft' };

type ReportedSend = Pick<
  SendRow,
  'id' | 'project_id' | 'contact_id' | 'to_email' | 'delivery_status' | 'source_type' | 'source_id' | 'variant' | 'details'
>;

/**
 * Applies a report to a send whose row is locked, and to its recipient: docs/contract/inbound.md 7 to 10. Reports may come in any order: the status never
 * goes back, and a bounce that is reported after a complaint leaves the contact as the complaint made it.
 */
export async function applyProviderEvent(tx: EntityManager, send: ReportedSend, report: MailReport): Promise<void> {
  const { status, occurredAt, bounce, isDelay = false } = report;
  const bounceKind = status === 'bounced' ? (bounce ?? UNCLEAR).kind : undefined;
  const reached = furtherStatus(send.delivery_status, status);
  await setMailStatus(tx, send.id, { status: reached, occurredAt, bounceKind, isDelay });
  if (send.contact_id) await tellOfChange(tx, send.project_id, [send.contact_id]);
  // Of an erased contact nobody knows the address any more.
  if (send.to_email === '') {
    // Its counters and events are all that is left of it.
  } else if (status === 'complained') {
    const by = { cause: 'complaint', id: send.id } as const;
    await suppress(tx, { projectId: send.project_id, email: send.to_email, reason: 'complaint', by, now: report.now });
  } else if (status === 'bounced' && reached === 'bounced') {
    await applyBounce(tx, send, send.to_email, bounce ?? UNCLEAR, report);
  }
  if (report.isFirst && status !== 'queued') {
    await countEngagement(tx, engagementOf(send, status));
    await emit(tx, send.project_id, { type: `email.${status}`, sendId: send.id, ...(bounce ? { adds: { bounce } } : {}) });
  }
}

/**
 * Applies a report about a copy of a mail to that address: docs/contract/sends.md 62. The row's status is that of `to`; what endpoints are told is
 * the mail's, with the copy's address.
 */
export async function applyCopyEvent(tx: EntityManager, send: ReportedSend, copy: string, report: MailReport): Promise<void> {
  const { status, bounce, now } = report;
  if (status === 'complained')
    await suppress(tx, { projectId: send.project_id, email: copy, reason: 'complaint', by: { cause: 'complaint', id: send.id }, now });
  else if (status === 'bounced') await applyBounce(tx, send, copy, bounce ?? UNCLEAR, report);
  if (!report.isFirst || status === 'queued') return;
  const adds = { copy: true, email: copy, contact_id: null, ...(bounce && { bounce }) };
  await emit(tx, send.project_id, { type: `email.${status}`, sendId: send.id, adds });
}

async function applyBounce(
  tx: EntityManager,
  { id, project_id: projectId }: Pick<ReportedSend, 'id' | 'project_id'>,
  email: string,
  bounce: Bounce,
  report: MailReport,
): Promise<void> {
  const { now, softBounceLimit } = report;
  const by = { cause: 'bounce', id } as const;
  if (bounce.kind === 'hard') {
    await suppress(tx, { projectId, email, reason: 'bounce', by, now });
    const contact = await lockContact(tx, projectId, { email });
    if (contact) await moveContact(tx, contact, 'bounced', { by, now });
  } else if (softBounceLimit <= 1 || (await softBouncesInARow(tx, projectId, email)) >= softBounceLimit) {
    await suppress(tx, { projectId, email, reason: 'bounce', by, now });
  }
}
