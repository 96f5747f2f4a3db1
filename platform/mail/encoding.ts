const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const EQUALS = 61;
const MAX_LINE = 998;
const MAX_QP_LINE = 76;
const BASE64_LINE = 76;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/** 1 for the octets that quoted-printable (RFC 2045 6.7) leaves as they are. */
const LITERAL = new Uint8Array(256);
for (let octet = 32; octet < 127; octet++) LITERAL[octet] = octet === EQUALS ? 0 : 1;
LITERAL[TAB] = 1;

/** A body part's content in a transfer encoding whose lines are short and pure ASCII, so that every server takes it as it is. */
export interface EncodedText {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64';
  readonly content: string;
}

/**
 * Picks the shortest of the encodings that survive any relay; 8bit is never used, since what the next server offers is
 * unknown and a relay that has to convert breaks signatures (RFC 6376 5.3). Line ends of any kind become CRLF.
 */
export function encodeText(text: string): EncodedText {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (isPlain(lines)) return { encoding: '7bit', content: lines.includes('\n') ? lines.replaceAll('\n', '\r\n') : lines };
  const octets = Buffer.from(lines, 'utf8');
  // An octet beyond ASCII costs three characters in quoted-printable and 1.4 in base64.
  return countBeyondAscii(octets) * 5 > octets.length
    ? { encoding: 'base64', content: wrappedBase64(Buffer.from(lines.replaceAll('\n', '\r\n'), 'utf8')) }
    : { encoding: 'quoted-printable', content: quotedPrintable(octets) };
}

/** Printable ASCII with lines of at most 998 octets (RFC 5322 2.1.1). */
function isPlain(text: string): boolean {
  if (!/^[\t\n\x20-\x7e]*$/.test(text)) return false;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MAX_LINE) return false;
    start = end + 1;
  }
  return text.length - start <= MAX_LINE;
}

function countBeyondAscii(octets: Buffer): number {
  let count = 0;
  for (let i = 0; i < octets.length; i++) if (octets[i]! > 127) count++;
  return count;
}

function wrappedBase64(octets: Buffer): string {
  const text = octets.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += BASE64_LINE) lines.push(text.slice(at, at + BASE64_LINE));
  return lines.join('\r\n');
}

let scratch = Buffer.allocUnsafe(64 * 1024);

/** RFC 2045 6.7; the octets have LF line ends. */
function quotedPrintable(octets: Buffer): string {
  // At worst every octet takes three characters, and a soft line break (3) comes after every 25 of those.
  const worst = octets.length * 4;
  if (scratch.length < worst) scratch = Buffer.allocUnsafe(worst);
  const out = scratch;
  let end = 0;
  let column = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets[i]!;
    // By far the most octets: they need no look at what follows.
    if (column < MAX_QP_LINE - 1 && octet > SPACE && LITERAL[octet] === 1) {
      out[end++] = octet;
      column++;
      continue;
    }
    if (octet === LF) {
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      continue;
    }
    const next = i + 1 < octets.length ? octets[i + 1] : LF;
    const literal = LITERAL[octet] === 1 && !((octet === SPACE || octet === TAB) && next === LF);
    const width = literal ? 1 : 3;
    // The last column is left for the "=" of a soft break, unless the line ends here anyway.
    if (column + width > (next === LF ? MAX_QP_LINE : MAX_QP_LINE - 1)) {
      out[end++] = EQUALS;
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
    }
    if (literal) out[end++] = octet;
    else {
      out[end++] = EQUALS;
      out[end++] = HEX[octet >> 4]!;
      out[end++] = HEX[octet & 15]!;
    }
    column += width;
  }
  return out.toString('latin1', 0, end);
}
