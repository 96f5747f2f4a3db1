import type { OutgoingMail } from './mail.ts';
import { mailLength } from './mail-octets.ts';
import type { SmtpExtensions } from './smtp-open.ts';

const LF = 10;
const DOT = 46;

/** The commands of one mail's envelope, each with its CRLF. */
export interface EnvelopeLines {
  readonly mail: string;
  readonly rcpt: string;
  /** Those of the copies. */
  readonly copies: readonly string[];
}

/** What this server has to hear of the mail first; a text instead says why it cannot get it. */
export function envelopeLines(mail: OutgoingMail, extensions: SmtpExtensions): EnvelopeLines | string {
  const { from, to, copies = NO_COPIES, internationalized } = mail;
  if (![from, to, ...copies].every((address) => isSafe(address, internationalized)))
    return 'an address of the mail cannot be written in SMTP';
  if (internationalized && !extensions.has('SMTPUTF8')) return 'the mail server takes only ASCII before the @ of an address';
  const length = mailLength(mail, 'lines');
  // RFC 1870 4: without a number, or with 0, the server does not say how much it takes.
  const most = Number(extensions.get('SIZE')?.[0] ?? 0);
  if (most > 0 && length > most) return `the mail has ${length} octets, and the mail server takes at most ${most}`;
  const size = extensions.has('SIZE') ? ` SIZE=${length}` : '';
  const utf8 = internationalized ? `${extensions.has('8BITMIME') ? ' BODY=8BITMIME' : ''} SMTPUTF8` : '';
  return { mail: `MAIL FROM:<${from}>${size}${utf8}\r\n`, rcpt: recipientLine(to), copies: copies.map(recipientLine) };
}

const NO_COPIES: readonly string[] = [];

function recipientLine(address: string): string {
  return `RCPT TO:<${address}>\r\n`;
}

/** All commands of an envelope. RFC 2920 3.1: DATA ends the group, since what follows depends on its answer. */
export function envelope({ mail, rcpt, copies }: EnvelopeLines): string {
  return `${mail}${rcpt}${copies.join('')}DATA\r\n`;
}

/** The content as DATA has to carry it (RFC 5321 4.5.2): with CRLF at its end, and one more dot where a line begins with one. It begins a line. */
export function dataOf(content: Uint8Array): Uint8Array {
  const octets = Buffer.from(content.buffer, content.byteOffset, content.length);
  if (octets[0] !== DOT && octets.at(-1) === LF && !octets.includes('\n.')) return content;
  const text = octets.toString('latin1').replace(/^\./gm, '..');
  return Buffer.from(text.endsWith('\n') ? text : `${text}\r\n`, 'latin1');
}

/** Nothing in an address can end its command; what is beyond ASCII is announced. */
function isSafe(address: string, internationalized: boolean): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return internationalized ? !/[\x00-\x1f\x7f<>]/.test(address) : /^[\x20-;=?-~]*$/.test(address);
}
