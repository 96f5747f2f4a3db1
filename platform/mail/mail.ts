import type { Mailbox } from '../../domain/contacts/mailbox.ts';

export type { Mailbox };

/** A mail with everything that it says, before it is in the form of any wire. */
export interface WrittenMail {
  readonly sendId: string;
  /** Without angle brackets: messageIdOf(). */
  readonly messageId: string;
  readonly from: Mailbox;
  readonly to: string;
  /** Shown beside the address of `to`. */
  readonly toName?: string;
  readonly replyTo?: Mailbox;
  readonly cc?: readonly Mailbox[];
  /** On the envelope alone. */
  readonly bcc?: readonly Mailbox[];
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Beyond those that every mail has; never one of From, To, Subject, Date, Message-ID or Content-*. */
  readonly headers: Readonly<Record<string, string>>;
  readonly date: Date;
}

/** A finished mail in the form of the wire. */
export interface OutgoingMail {
  readonly sendId: string;
  /** Without angle brackets. */
  readonly messageId: string;
  /** The envelope: bare addresses with ASCII domains. */
  readonly from: string;
  readonly to: string;
  /** Who else is on the envelope; absent: nobody. */
  readonly copies?: readonly string[];
  /** A local part is beyond ASCII: headers are UTF-8, and the way to the recipient must know SMTPUTF8 (RFC 6531, 6532). */
  readonly internationalized: boolean;
  /** In the provider's format. A message has CRLF line ends, ends with one, and no line of it begins with a dot. */
  readonly content: Uint8Array;
}
