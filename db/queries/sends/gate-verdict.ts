import { type RawBuilder, sql } from 'kysely';
import { isWithoutMarketing, type StatusWithoutMarketing } from '../../../domain/contacts/contact.ts';

/** What keeps a project from sending. */
export type ProjectHold = 'project_suspended' | 'email_unverified';

/** What keeps the steps of a sequence from sending. */
export type StepHold = 'paused' | ProjectHold;

/** Why nothing of a campaign may go. `over`: its `endsAt` has come. */
export type CampaignStop = 'ended' | 'paused' | ProjectHold | 'over';

/** The same of one batch. `send_window`: that of its people is closed. */
export type BatchStop = CampaignStop | 'send_window';

/** Why an address gets no mail, which its row has as its reason. */
export type RecipientRefusal = 'suppressed' | StatusWithoutMarketing | 'unconfirmed' | 'topic_off';

/**
 * Why a gate does not let a mail go. It is a JSON object, made by the statement that opens the intents and null where the mail may go; this
 * module alone knows its form.
 */
export type GateVerdict =
  | { readonly by: RecipientRefusal }
  /** The contact was there when the mail was made, and is not any more. Such a mail has no row. */
  | { readonly by: 'erased' }
  /** The run of a step has ended, or a scheduled mail was cancelled or moved. Such a mail has no row. */
  | { readonly by: 'ended' }
  | { readonly by: 'held'; readonly reason: StepHold }
  /** Its send window is closed at this moment. */
  | { readonly by: 'send_window' }
  /** When the mail in the way leaves the window, by PostgreSQL's clock. `isInFlight`: that mail has no outcome yet. */
  | { readonly by: 'frequency_cap'; readonly freesAtMs: number; readonly isInFlight: boolean }
  /** It was submitted before, and must not be again. */
  | { readonly by: 'outcome_unknown' }
  /** A mail that it follows turned out to have been sent. */
  | { readonly by: 'sent_before' }
  /** Of all mails of a campaign's batch: nothing of the campaign may go, or another process has the batch. */
  | { readonly by: 'stopped'; readonly reason: BatchStop }
  | { readonly by: 'lost' };

/** A gate's answer that needs no more than its word. */
type PlainVerdict = Extract<GateVerdict['by'], RecipientRefusal | 'erased' | 'ended' | 'send_window' | 'outcome_unknown' | 'sent_before'>;

/** SQL text of a verdict. */
export function plainVerdict(by: PlainVerdict): RawBuilder<GateVerdict> {
  return sql.raw(`'${JSON.stringify({ by })}'::jsonb`);
}

/** The verdict of a recipient, by an expression that is one of the words. */
export function recipientVerdict(word: RawBuilder<unknown>): RawBuilder<GateVerdict> {
  return sql`jsonb_build_object('by', ${word})`;
}

export function holdVerdict(reason: RawBuilder<unknown>): RawBuilder<GateVerdict> {
  return sql`jsonb_build_object('by', 'held', 'reason', ${reason})`;
}

export function capVerdict(of: {
  readonly freesAtMs: RawBuilder<unknown>;
  readonly isInFlight: RawBuilder<unknown>;
}): RawBuilder<GateVerdict> {
  return sql`jsonb_build_object('by', 'frequency_cap', 'freesAtMs', (${of.freesAtMs})::bigint, 'isInFlight', ${of.isInFlight})`;
}

/** The first word of a verdict: what the row of a refused mail has as its error. */
export function wordOf(verdict: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(${verdict} ->> 'by')`;
}

/** Whether the recipient stood in the way. */
export function isRecipientRefusal(by: GateVerdict['by']): by is RecipientRefusal {
  return by === 'suppressed' || by === 'unconfirmed' || by === 'topic_off' || isWithoutMarketing(by);
}

/** What stood in the way, as logs and metrics name it. */
export function obstacleOf(verdict: GateVerdict): string {
  return verdict.by === 'stopped' ? verdict.reason : verdict.by;
}
