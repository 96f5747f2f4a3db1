import { inMailOrder } from '../../domain/sends/attachments.ts';
import { copyAddresses, encodedLine, wireAddress } from './header.ts';
import { type AttachedFile, type GappedMail, type Mailbox, type WrittenMail, withGaps } from './mail.ts';

/** How an API wants files within the body of a request. */
export interface FilesInJson {
  /** The member of the body that has them. */
  readonly list: string;
  /** The member of a file that has its octets in base64. */
  readonly content: string;
  /** The other members of a file. */
  membersOf(file: AttachedFile): object;
}

/** A body in pieces: the base64 text of a file stands behind each but the last. */
export function jsonPieces(body: object, attachments: readonly AttachedFile[] | undefined, files: FilesInJson): string[] {
  const text = JSON.stringify(body);
  if (!attachments?.length) return [text];
  const heads = inMailOrder(attachments).map((file) => `${JSON.stringify(files.membersOf(file)).slice(0, -1)},"${files.content}":"`);
  return [...heads.map((head, index) => `${index === 0 ? `${text.slice(0, -1)},"${files.list}":[` : '"},'}${head}`), '"}]}'];
}

/** The mail whose content is such a body. Throws InvalidMail. */
export function jsonMail(mail: WrittenMail, pieces: readonly string[]): GappedMail {
  const { sendId, messageId } = mail;
  const copies = copyAddresses(mail);
  const envelope = { from: wireAddress(mail.from.email), to: wireAddress(mail.to), ...(copies && { copies }) };
  return { sendId, messageId, ...envelope, internationalized: false, ...withGaps(pieces.map((piece) => Buffer.from(piece))) };
}

/** The headers of a mail in the form of a message, for an API that does not encode them itself. */
export function encodedHeaders({ headers, messageId }: WrittenMail): [name: string, value: string][] {
  const all = Object.entries({ ...headers, 'Message-ID': `<${messageId}>` });
  return all.map(([name, value]) => [name, encodedLine(value)]);
}

/** Whom a mail is to, with the name that is shown. */
export function recipientOf({ to, toName }: WrittenMail): Mailbox {
  return { email: to, ...(toName === undefined ? {} : { name: toName }) };
}
