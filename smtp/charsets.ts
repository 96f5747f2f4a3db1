import { isUtf8 } from 'node:buffer';
import { decodeWords } from 'postal-mime';

/** What says that a text is ASCII (RFC 2045 5.2), also by saying nothing. */
const ASCII = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968']);
/** Octets that no text in UTF-8 has: NUL, as in utf-32, and those that change what the next ones mean, as in iso-2022-kr. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SHIFTS = /[\0\x0e\x0f\x1b]/;
/** Charsets where characters of ASCII do so, and these. */
const SHIFTED = /utf-?7|^hz/;
const SHIFTS_IN_ASCII = /[+&~]/;
const MAX_NAME_LENGTH = 60;

/** What is in a charset that nothing here can read. The message is for its sender. */
export class UnknownCharset extends Error {
  override readonly name = 'UnknownCharset';

  constructor(charset: string) {
    super(`a text or header is in the charset ${charset.slice(0, MAX_NAME_LENGTH)}, which is not known here; send it as UTF-8`);
  }
}

/** The charset by which the octets of a text that is shown are read; `declared`: by its Content-Type. Throws UnknownCharset. */
export function charsetOf(octets: Buffer, declared = ''): string {
  const label = labelOf(declared);
  if (ASCII.has(label)) return isUtf8(octets) ? 'utf-8' : 'windows-1252';
  if (isUtf16(label)) return octets[0] === 0xfe && octets[1] === 0xff ? 'utf-16be' : label;
  if (isKnown(label)) return label;
  if (isUtf8(octets) && !hasShifts(octets.toString('latin1'), label)) return 'utf-8';
  throw new UnknownCharset(label);
}

/** Where an encoded word (RFC 2047) begins, with its charset. */
const ENCODED_WORD = /=\?([^?\s*]+)(?=(?:\*[^?\s]*)?\?[bq]\?)/gi;

/** A header with its encoded words decoded; one whose charset is not known is UTF-8 where its octets are. Throws UnknownCharset. */
export function decodedWords(value: string): string {
  let unknown: string | undefined;
  const words = value.replace(ENCODED_WORD, (start, declared: string) => {
    const label = labelOf(declared);
    if (isKnown(label)) return start;
    unknown = label;
    return '=?utf-8';
  });
  const decoded = decodeWords(words);
  if (unknown !== undefined && (hasShifts(decoded, unknown) || decoded.includes('\ufffd'))) throw new UnknownCharset(unknown);
  return decoded;
}

/** Whether line ends that the encoding of the part adds are no characters of its text. */
export function isUtf16(declared = ''): boolean {
  return encodingOf(labelOf(declared))?.startsWith('utf-16') ?? false;
}

/** A line of headers in UTF-8 (RFC 6532); one that is not is by software that knows its own charset alone, which is windows-1252 more than any other. */
export function headerInUtf8(line: Buffer): Buffer {
  return isUtf8(line) ? line : Buffer.from(new TextDecoder('windows-1252').decode(line));
}

/** Whether octets that are UTF-8 stand for other characters. */
function hasShifts(text: string, label: string): boolean {
  return SHIFTS.test(text) || (SHIFTED.test(label) && SHIFTS_IN_ASCII.test(text));
}

function labelOf(declared: string): string {
  return declared.trim().toLowerCase();
}

/** The library takes windows-1252 for what it does not know, and does not say so. */
function isKnown(label: string): boolean {
  const bare = label.replace(/^(?:x-ms-|x-|cs)/, '').replace(/[\s._-]+/g, '');
  if (encodingOf(label) !== undefined || encodingOf(bare) !== undefined) return true;
  return /^[^?*\s]+$/.test(label) && decodeWords(`=?${label}?Q?=E4?=`) !== 'ä';
}

function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
