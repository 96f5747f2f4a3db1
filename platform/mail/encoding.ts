import { ByteSink } from './byte-sink.ts';
import { QuotedPrintableWriter } from './quoted-printable.ts';

const MAX_LINE = 998;
const BASE64_LINE = 76;

/** A body part's content in a transfer encoding whose lines are short and pure ASCII, so that every server takes it as it is. */
export interface EncodedText {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64';
  readonly content: string;
}

/**
 * No line of what it gives begins with a dot. Picks the shortest of the encodings that survive any relay; 8bit is never used, since what the next server offers is
 * unknown and a relay that has to convert breaks signatures (RFC 6376 5.3). Line ends of any kind become CRLF.
 */
export function encodeText(text: string): EncodedText {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (isPlain(lines)) return { encoding: '7bit', content: lines.includes('\n') ? lines.replaceAll('\n', '\r\n') : lines };
  return isMostlyBeyondAscii(lines)
    ? { encoding: 'base64', content: base64Lines(lines) }
    : { encoding: 'quoted-printable', content: quotedPrintable(lines) };
}

/** Whether base64 is shorter: an octet beyond ASCII costs three characters in quoted-printable and 1.4 in base64. */
export function isMostlyBeyondAscii(text: string): boolean {
  const octets = Buffer.from(text, 'utf8');
  return countBeyondAscii(octets) * 5 > octets.length;
}

/** Lines of base64 (RFC 2045 6.8); line ends of any kind become CRLF first. */
export function base64Lines(text: string): string {
  return wrappedBase64(Buffer.from(text.replace(/\r\n?|\n/g, '\r\n'), 'utf8'));
}

/** Printable ASCII with lines of at most 998 octets (RFC 5322 2.1.1), none of which a transport has to stuff. */
function isPlain(text: string): boolean {
  if (!/^[\t\n\x20-\x7e]*$/.test(text) || /^\./m.test(text)) return false;
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

function quotedPrintable(text: string): string {
  const sink = new ByteSink(text.length * 2);
  const writer = new QuotedPrintableWriter(sink);
  writer.write(text);
  writer.finish();
  return sink.bytes.toString('latin1', 0, sink.end);
}
