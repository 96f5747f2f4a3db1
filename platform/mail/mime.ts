import { LRUCache } from 'lru-cache';
import { emailDomain } from '../../domain/contacts/email-address.ts';
import { type EncodedText, encodeText } from './encoding.ts';
import { addressesHeader, addressHeader, copyAddresses, InvalidMail, isAscii, syntaxHeader, textHeader, wireAddress } from './header.ts';
import { type GappedMail, type Mailbox, type WrittenMail, withGaps } from './mail.ts';
import { Levels } from './multipart.ts';

/** Set from the fields of the mail; a caller's header of that name would contradict them. */
const OWN_HEADERS = new Set(['from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version']);

/** Senders and subjects repeat from mail to mail; recipients do not. */
const REPEATED_HEADER_BYTES = 1024 * 1024;
const repeatedHeaders = new LRUCache<string, string>({ maxSize: REPEATED_HEADER_BYTES });

/** The Message-ID, without angle brackets, of the one mail of a send: the same whenever it is asked for. */
export function messageIdOf(sendId: string, senderEmail: string): string {
  return `${sendId}@${remembered(`domain\n${senderEmail}`, () => emailDomain(wireAddress(senderEmail)))}`;
}

/** Everything of a message before its text and HTML. */
export interface MessageHead {
  /** Ends with the empty line before the first part. */
  readonly text: string;
  readonly levels: Levels;
  /** The envelope. */
  readonly from: string;
  readonly to: string;
  readonly copies: readonly string[] | undefined;
  readonly internationalized: boolean;
}

/** The header of a message with text and HTML, and with files where the mail has any. Throws InvalidMail. */
export function messageHead(mail: Omit<WrittenMail, 'html' | 'text'>): MessageHead {
  const from = remembered(`address\n${mail.from.email}`, () => wireAddress(mail.from.email));
  const to = wireAddress(mail.to);
  if (!/^[\x21-\x3b\x3d\x3f-\x7e]+@[\w.-]+$/.test(mail.messageId)) throw new InvalidMail('the message id is not valid');
  const levels = new Levels(mail.sendId, mail.attachments);
  const date = remembered(`Date\n${mail.date.getTime()}`, () => `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}\r\n`);
  let text =
    senderHeader('From', mail.from) +
    (mail.toName === undefined ? `To: ${to}\r\n` : addressHeader('To', { email: mail.to, name: mail.toName })) +
    (mail.cc?.length ? addressesHeader('Cc', mail.cc) : '') +
    (mail.replyTo === undefined ? '' : senderHeader('Reply-To', mail.replyTo)) +
    subjectHeader(mail.subject) +
    `${date}Message-ID: <${mail.messageId}>\r\n`;
  for (const name in mail.headers) {
    if (OWN_HEADERS.has(name.toLowerCase()) || /^content-/i.test(name)) throw new InvalidMail(`the header ${name} cannot be set`);
    text += syntaxHeader(name, mail.headers[name] as string);
  }
  text += `MIME-Version: 1.0\r\n${levels.begin}`;
  const copies = copyAddresses(mail);
  return { text, levels, from, to, copies, internationalized: !isAscii(text) || (copies?.some((copy) => !isAscii(copy)) ?? false) };
}

/** What stands before a part's content, behind its boundary. */
export function partHead(type: 'plain' | 'html', encoding: EncodedText['encoding']): string {
  return `Content-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
}

/**
 * Writes the mail, text before HTML (RFC 2046 5.1.4), with gaps for its files. Every line is ASCII and at most 998 octets,
 * whatever the content, except for the addresses of an internationalized message. Throws InvalidMail.
 */
export function buildMessage(mail: WrittenMail): GappedMail {
  const { text: header, levels, from, to, copies, internationalized } = messageHead(mail);
  const text = encodeText(mail.text);
  const html = encodeText(mail.html);
  const parts =
    `${header}${levels.text}${partHead('plain', text.encoding)}${text.content}` +
    `${levels.html}${partHead('html', html.encoding)}${html.content}`;
  const pieces = levels.end.map((piece, index) => Buffer.from(index === 0 ? parts + piece : piece, internationalized ? 'utf8' : 'latin1'));
  const { sendId, messageId } = mail;
  return { sendId, messageId, from, to, ...(copies && { copies }), internationalized, ...withGaps(pieces) };
}

function senderHeader(name: string, mailbox: Mailbox): string {
  return remembered(`${name}\n${mailbox.email}\n${mailbox.name ?? ''}`, () => addressHeader(name, mailbox));
}

function subjectHeader(subject: string): string {
  return remembered(`Subject\n${subject}`, () => textHeader('Subject', subject));
}

function remembered(key: string, encode: () => string): string {
  const known = repeatedHeaders.get(key);
  if (known !== undefined) return known;
  const header = encode();
  repeatedHeaders.set(key, header, { size: 2 * (key.length + header.length) });
  return header;
}
