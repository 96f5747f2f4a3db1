import type { Mailbox } from '../contacts/mailbox.ts';

/**
 * What a call may say of a mail beside its template, recipient and data: it is kept with the row, so that whoever sends the mail again says the same.
 * Absent is what was not said.
 */
export interface SendDetails {
  /** Shown beside the address of `to`. */
  readonly toName?: string;
  /** Instead of the brand's. */
  readonly replyTo?: Mailbox;
  /** Those that `headerIssues` allows. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What stands in the mail. */
export type MailDetails = Pick<SendDetails, 'toName' | 'replyTo' | 'headers'>;
