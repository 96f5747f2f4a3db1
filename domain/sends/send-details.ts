import type { Mailbox } from '../contacts/mailbox.ts';
import type { Attachment } from './attachments.ts';

/** Recipients of one mail, `to` and its copies together. */
export const MAX_RECIPIENTS = 50;

/**
 * What a call may say of a mail beside its template, recipient and data: it is kept with the row, so that whoever sends the mail again says the same.
 * Absent is what was not said.
 */
export interface SendDetails {
  /** Shown beside the address of `to`. */
  readonly toName?: string;
  /** Each address once, and not that of `to`. */
  readonly cc?: readonly Mailbox[];
  readonly bcc?: readonly Mailbox[];
  /** Instead of the brand's. */
  readonly replyTo?: Mailbox;
  /** Those that `headerIssues` allows. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The key of the topic that the mail is of: marketing only. */
  readonly topic?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly attachments?: readonly Attachment[];
  /** Copies of this very mail that do not go. */
  readonly leftOut?: readonly LeftOut[];
}

/** A copy that does not go: its address may not get the mail, or the mail server refused it. */
export interface LeftOut {
  readonly email: string;
  /** As a mail fails. */
  readonly reason: 'suppressed' | 'unsubscribed' | 'bounced' | 'unconfirmed' | 'topic_off' | 'provider_rejected';
  /** The mail server's words. */
  readonly message?: string;
}

/** A copy that the mail server refused while it took the mail for others. */
export interface RefusedCopy {
  readonly email: string;
  readonly message: string;
  /** The address does not exist: a hard bounce. */
  readonly badAddress: boolean;
}

/** What a mail of a topic has; undefined: it is of none. */
export function detailsOfTopic(topic: string | null | undefined): SendDetails | undefined {
  return topic ? { topic } : undefined;
}

/** Whether copies of the mail are asked for. */
export function hasCopies(details: SendDetails | null | undefined): boolean {
  return Boolean(details?.cc || details?.bcc);
}

/** Whom copies of the mail are asked for, each once. */
export function copiesOf({ cc = [], bcc = [] }: SendDetails): string[] {
  return [...cc, ...bcc].map(({ email }) => email);
}

/** Those that go. */
export function copiesGoing(details: SendDetails): string[] {
  return copiesOf(details).filter((email) => !isLeftOut(details, email));
}

export function isLeftOut({ leftOut = [] }: SendDetails, email: string): boolean {
  return leftOut.some((copy) => copy.email === email);
}

/** The same details of a mail to this address, which gets no copy beside it. */
export function withoutCopyTo(details: SendDetails, to: string): SendDetails {
  const others = (copies: readonly Mailbox[]) => copies.filter(({ email }) => email !== to);
  const { cc, bcc } = details;
  return { ...details, ...(cc && { cc: others(cc) }), ...(bcc && { bcc: others(bcc) }) };
}

/**
 * Whose a report about the mail is: undefined when it is that of `to`, as it is where the provider does not say. null: of nobody who is known, such as
 * a copy that was erased.
 */
export function reportedCopy(
  { to_email: to, details }: { readonly to_email: string; readonly details: SendDetails | null },
  recipient: string | null,
): string | null | undefined {
  if (recipient === null || recipient === to || !details || !hasCopies(details)) return undefined;
  if (copiesOf(details).includes(recipient)) return recipient;
  return to === '' ? undefined : null;
}

/** The same as the log has it. */
export function leftOutBy({ email, message }: RefusedCopy): LeftOut {
  return { email, reason: 'provider_rejected', message };
}

/** What stands in the mail or on its envelope. */
export interface MailDetails extends Pick<SendDetails, 'toName' | 'cc' | 'bcc' | 'replyTo' | 'headers' | 'topic' | 'attachments'> {
  /** One of its copies plays a reader who clicks. */
  readonly isClicked?: boolean;
}
