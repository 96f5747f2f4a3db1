import { normalizeEmail } from '../../domain/contacts/email-address.ts';
import type { Mailbox, WrittenMail } from './mail.ts';

const FOLD_AT = 76;
const MAX_LINE = 998;
const WORD_PREFIX = '=?utf-8?B?';
const WORD_SUFFIX = '?=';

/** A mail that cannot be written as a message. The message is public. */
export class InvalidMail extends Error {
  override readonly name = 'InvalidMail';
}

/**
 * One header line, folded, with its CRLF. Text beyond ASCII becomes encoded-words (RFC 2047).
 * Nothing in a value can begin another header: see oneLine.
 */
export function textHeader(name: string, value: string): string {
  const text = oneLine(value);
  return needsEncoding(text) ? `${name}: ${encodedWords(text, name.length + 2)}\r\n` : foldedHeader(name, text);
}

/** Like textHeader for a value with a syntax of its own (URLs, list ids). Throws InvalidMail for one that no line can hold. */
export function syntaxHeader(name: string, value: string): string {
  // One that begins with a dot would have to be stuffed.
  if (!/^(?!\.)[!-9;-~]+$/.test(name)) throw new InvalidMail('a header name is not valid');
  const text = oneLine(value);
  if (!isAscii(text)) return textHeader(name, text);
  const header = foldedHeader(name, text);
  if (header.length > MAX_LINE && longestLine(header) > MAX_LINE) throw new InvalidMail(`the header ${name} is too long`);
  return header;
}

/** One address header: `From: "Ann, Bob" <a@example.com>`. Throws InvalidMail for an address that is not valid. */
export function addressHeader(name: string, mailbox: Mailbox): string {
  const address = wireAddress(mailbox.email);
  const phrase = oneLine(mailbox.name ?? '');
  if (phrase === '') return `${name}: ${address}\r\n`;
  const start = `${name}: ${encodedPhrase(phrase, name.length + 2)}`;
  const column = start.length - (start.lastIndexOf('\n') + 1);
  return `${start}${column + address.length + 3 > FOLD_AT ? '\r\n' : ''} <${address}>\r\n`;
}

/** The same for several, each on a line of its own. */
export function addressesHeader(name: string, mailboxes: readonly Mailbox[]): string {
  const values = mailboxes.map((mailbox) => addressHeader(name, mailbox).slice(name.length + 2, -2));
  return `${name}: ${values.join(',\r\n ')}\r\n`;
}

/** `"Ann, Bob" <a@example.com>` for an API that takes UTF-8, where no encoded-words are wanted. Throws InvalidMail. */
export function displayAddress(mailbox: Mailbox): string {
  const address = wireAddress(mailbox.email);
  const phrase = oneLine(mailbox.name ?? '').toWellFormed();
  return phrase === '' ? address : `${isAtoms(phrase) ? phrase : quoted(phrase)} <${address}>`;
}

/** The address as `normalizeEmail` writes it: only its local part may be beyond ASCII. Throws InvalidMail. */
export function wireAddress(email: string): string {
  const address = normalizeEmail(email);
  if (address === undefined) throw new InvalidMail('an address is not valid');
  return address;
}

/** The recipients beside `to`; undefined: the mail has no copies. Throws InvalidMail. */
export function copyAddresses({ cc, bcc }: Pick<WrittenMail, 'cc' | 'bcc'>): string[] | undefined {
  return cc || bcc ? [...(cc ?? []), ...(bcc ?? [])].map(({ email }) => wireAddress(email)) : undefined;
}

/** The value of a header in one line, for an API that folds it. Text beyond ASCII becomes encoded-words (RFC 2047). */
export function encodedLine(value: string): string {
  const text = oneLine(value);
  return isAscii(text) ? text : encodedWords(text, 0).replaceAll('\r\n', '');
}

/** Whether every character is ASCII. */
export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}

/** Without control characters, line ends and NUL among them: each run of them becomes a space. */
export function oneLine(value: string): string {
  // U+2028 and U+2029 are line ends to some readers.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return value.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim();
}

/** Also for ASCII that would read as an encoded-word, or that has a piece too long for a line. */
function needsEncoding(text: string): boolean {
  return !isAscii(text) || text.includes('=?') || /[^ ]{900}/.test(text);
}

function foldedHeader(name: string, text: string): string {
  const line = `${name}: ${text}\r\n`;
  return line.length <= FOLD_AT + 2 ? line : `${name}: ${folded(text, name.length + 2)}\r\n`;
}

/** Breaks before a space, which stays, so that unfolding gives back the very text. */
function folded(text: string, startColumn: number): string {
  let column = startColumn;
  let result = '';
  for (const [piece] of text.matchAll(/ *[^ ]+/g)) {
    if (result !== '' && column + piece.length > FOLD_AT) {
      result += '\r\n';
      column = 0;
    }
    result += piece;
    column += piece.length;
  }
  return result;
}

function longestLine(header: string): number {
  return Math.max(...header.split('\r\n').map((line) => line.length));
}

/** RFC 2047 with base64: words of at most 75 characters, lines of at most 76, no character cut in two. */
export function encodedWords(text: string, startColumn: number): string {
  const words: string[] = [];
  let room = octetsThatFit(Math.max(FOLD_AT - startColumn, 24));
  let word = '';
  let octets = 0;
  for (const character of text.toWellFormed()) {
    const size = Buffer.byteLength(character);
    if (octets + size > room) {
      words.push(word);
      word = '';
      octets = 0;
      room = octetsThatFit(FOLD_AT - 1);
    }
    word += character;
    octets += size;
  }
  words.push(word);
  return words.map((part) => WORD_PREFIX + Buffer.from(part).toString('base64') + WORD_SUFFIX).join('\r\n ');
}

function octetsThatFit(columns: number): number {
  return Math.floor((Math.min(columns, 75) - WORD_PREFIX.length - WORD_SUFFIX.length) / 4) * 3;
}

/** A display name: as it is when it is made of atoms, else quoted, else encoded (RFC 5322 3.2.5, RFC 2047 5). */
function encodedPhrase(phrase: string, startColumn: number): string {
  if (needsEncoding(phrase)) return encodedWords(phrase, startColumn);
  return folded(isAtoms(phrase) ? phrase : quoted(phrase), startColumn);
}

function isAtoms(phrase: string): boolean {
  return /^[\w!#$%&'*+/=?^`{|}~ -]+$/.test(phrase);
}

/** As a quoted-string (RFC 5322 3.2.4). */
export function quoted(phrase: string): string {
  return `"${phrase.replace(/["\\]/g, '\\$&')}"`;
}
