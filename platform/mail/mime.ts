import { emailDomain } from '../../domain/email-address.ts';
import { createLru } from '../../domain/lru.ts';
import { encodeText } from './encoding.ts';
import { addressHeader, InvalidMail, isAscii, syntaxHeader, textHeader, wireAddress } from './header.ts';
import type { Mailbox, OutgoingMail, WrittenMail } from './provider.ts';

/** Set from the fields of the mail; a caller's header of that name would contradict them. */
const OWN_HEADERS = new Set(['from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version']);

/** Senders and subjects repeat from mail to mail; recipients do not. */
const repeatedHeaders = createLru<string, string>(1000);

/** The Message-ID, without angle brackets, of the one mail of a send: the same whenever it is asked for. */
export function messageIdOf(sendId: string, senderEmail: string): string {
  return `${sendId}@${emailDomain(wireAddress(senderEmail))}`;
}

/**
 * Writes the mail as multipart/alternative, text first (RFC 2046 5.1.4). Every line is ASCII and at most 998 octets,
 * whatever the content, except for the addresses of an internationalized message. Throws InvalidMail.
 */
export function buildMessage(mail: WrittenMail): OutgoingMail {
  const from = wireAddress(mail.from.email);
  const to = wireAddress(mail.to);
  if (!/^[\x21-\x3b\x3d\x3f-\x7e]+@[\w.-]+$/.test(mail.messageId)) throw new InvalidMail('the message id is not valid');
  // "=_" occurs in no quoted-printable or base64 text, and the id of this send in no content written before it.
  const boundary = `=_${mail.sendId}`;
  const text = encodeText(mail.text);
  const html = encodeText(mail.html);
  let headers =
    senderHeader('From', mail.from) +
    addressHeader('To', { email: mail.to }) +
    (mail.replyTo === undefined ? '' : senderHeader('Reply-To', { email: mail.replyTo })) +
    subjectHeader(mail.subject) +
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}\r\nMessage-ID: <${mail.messageId}>\r\n`;
  for (const [name, value] of Object.entries(mail.headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()) || /^content-/i.test(name)) throw new InvalidMail(`the header ${name} cannot be set`);
    headers += syntaxHeader(name, value);
  }
  const message = `${headers}MIME-Version: 1.0\r
Content-Type: multipart/alternative;\r
 boundary="${boundary}"\r
\r
--${boundary}\r
Content-Type: text/plain; charset=utf-8\r
Content-Transfer-Encoding: ${text.encoding}\r
\r
${text.content}\r
--${boundary}\r
Content-Type: text/html; charset=utf-8\r
Content-Transfer-Encoding: ${html.encoding}\r
\r
${html.content}\r
--${boundary}--\r
`;
  const internationalized = !isAscii(headers);
  const content = Buffer.from(message, internationalized ? 'utf8' : 'latin1');
  return { sendId: mail.sendId, messageId: mail.messageId, from, to, internationalized, content };
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
  repeatedHeaders.set(key, header);
  return header;
}
