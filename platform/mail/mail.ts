import type { Mailbox } from '../../domain/contacts/mailbox.ts';
import type { Attachment } from '../../domain/sends/attachments.ts';
import type { OpenSignatures } from './dkim.ts';

export type { Mailbox };

/** What a mail says of a file in it. */
export type AttachedFile = Pick<Attachment, 'filename' | 'contentType' | 'contentId'>;

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
  /** Absent: none. */
  readonly attachments?: readonly AttachedFile[];
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
  /** What stands between the octets of `content`, in this order; absent: nothing. */
  readonly parts?: readonly StreamedPart[];
  /** Of a mail with parts: its signatures, whose places `content` has; absent: it is to have none. */
  readonly signatures?: OpenSignatures;
}

/** Octets that are read where they are kept, while the mail is written: in a message as lines of base64, in a request as one text of it. */
export interface StreamedPart {
  /** So many octets of `content` come before. */
  readonly at: number;
  /** For people. */
  readonly filename: string;
  /** Of the octets themselves. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  /** undefined: they are not kept any more. */
  open(): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A mail before its files are in it. */
export interface GappedMail extends Omit<OutgoingMail, 'parts'> {
  /** For each file, in mail order, how many octets of `content` come before it; absent: it has none. */
  readonly gaps?: readonly number[];
}

/** A content of these pieces, with a gap behind each but the last. */
export function withGaps(pieces: readonly Uint8Array[]): Pick<GappedMail, 'content' | 'gaps'> {
  if (pieces.length === 1) return { content: pieces[0] as Uint8Array };
  let end = 0;
  const gaps = pieces.slice(0, -1).map(({ length }) => {
    end += length;
    return end;
  });
  return { content: Buffer.concat(pieces), gaps };
}
