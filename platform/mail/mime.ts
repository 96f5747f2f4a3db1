import { LRUCache } from 'lru-cache';
import { emailDomain } from '../../domain/contacts/email-address.ts';
import { type EncodedText, encodeText } from './encoding.ts';
import { addressesHeader, addressHeader, InvalidMail, isAscii, syntaxHeader, textHeader, wireAddress } from './header.ts';
import type { Mailbox, OutgoingMail, WrittenMail } from './mail.ts';

/** Set from the fields of the mail; a caller's header of that name would contradict them. */
const OWN_HEADERS = new Set(['from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version']);

/** Senders and subjects repeat from mail to mail; recipients do not. */
const REPEATED_HEADER_BYTES = 1024 * 1024;
const repeatedHeaders = new LRUCache<string, string>({ maxSize: REPEATED_HEADER_BYTES });

/** The Message-ID, without angle brackets, of the one mail of a send: the same whenever it is asked for. */
export function messageIdOf(sendId: string, senderEmail: string): string {
  return `${sendId}@${remembered(`domain\n${senderEmail}`, () => emailDomain(wireAddress(senderEmail)))}`;
}

/** Everything of a message before its two parts. */
export interface MessageHead {
  /** Ends with the empty line after the header. */
  readonly text: string;
  readonly boundary: string;
  /** The envelope. */
  readonly from: string;
  readonly to: string;
  readonly copies: readonly string[] | undefined;
  readonly internationalized: boolean;
}

/** The header of a multipart/alternative message. Throws InvalidMail. */
export function messageHead(mail: Omit<WrittenMail, 'html' | 'text'>): MessageHead {
  const from = remembered(`address\n${mail.from.email}`, () => wireAddress(mail.from.email));
  const to = wireAddress(mail.to);
  if (!/^[\x21-\x3b\x3d\x3f-\x7e]+@[\w.-]+$/.test(mail.messageId)) throw new InvalidMail('the message id is not valid');
  // "=_" occurs in no quoted-printable or base64 text, and the id of this send in no content written before it.
  const boundary = `=_${mail.sendId}`;
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
  text += `MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`;
  const copies = mail.cc || mail.bcc ? [...(mail.cc ?? []), ...(mail.bcc ?? [])].map(({ email }) => wireAddress(email)) : undefined;
  return { text, boundary, from, to, copies, internationalized: !isAscii(text) || (copies?.some((copy) => !isAscii(copy)) ?? false) };
}

/** What stands before a part's content; the parts are separated by a line end. */
export function partHead(boundary: string, type: 'plain' | 'html', encoding: EncodedText['encoding']): string {
  return `--${boundary}\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
}

/**
 * Writes the mail as multipart/alternative, text first (RFC 2046 5.1.4). Every line is ASCII and at most 998 octets,
 * whatever the content, except for the addresses of an internationalized message. Throws InvalidMail.
 */
export function buildMessage(mail: WrittenMail): OutgoingMail {
  const { text: header, boundary, from, to, copies, internationalized } = messageHead(mail);
  const text = encodeText(mail.text);
  const html = encodeText(mail.html);
  const message =
    `${header}${partHead(boundary, 'plain', text.encoding)}${text.content}\r\n` +
    `${partHead(boundary, 'html', html.encoding)}${html.content}\r\n--${boundary}--\r\n`;
  const content = Buffer.from(message, internationalized ? 'utf8' : 'latin1');
  return { sendId: mail.sendId, messageId: mail.messageId, from, to, ...(copies && { copies }), internationalized, content };
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
