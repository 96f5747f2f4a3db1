import { octetsInBase64 } from '../../domain/sends/attachments.ts';

/** What 76 characters of base64 hold (RFC 2045 6.8). */
const LINE_OCTETS = 57;
const LINE_CHARACTERS = 76;

/** How base64 stands in a mail: in lines, or as one text. */
export type Base64Form = 'lines' | 'text';

/** The length of so many octets in base64. */
export function base64Length(octets: number, form: Base64Form): number {
  const characters = octetsInBase64(octets);
  return form === 'text' ? characters : characters + 2 * Math.max(0, Math.ceil(characters / LINE_CHARACTERS) - 1);
}

/** The octets of `source` in base64, chunk by chunk. Lines are separated by CRLF, and none ends the last. */
export async function* base64Of(source: AsyncIterable<Uint8Array>, form: Base64Form): AsyncGenerator<Buffer> {
  const unit = form === 'lines' ? LINE_OCTETS : 3;
  let rest: Buffer = Buffer.alloc(0);
  let isBegun = false;
  const encoded = (octets: Buffer): Buffer => {
    const text = Buffer.from(octets.toString('base64'), 'latin1');
    const chunk = form === 'lines' ? inLines(text, isBegun) : text;
    isBegun = true;
    return chunk;
  };
  for await (const chunk of source) {
    const octets = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    const whole = octets.length - (octets.length % unit);
    // A copy: what was read into may be read into again.
    rest = Buffer.from(octets.subarray(whole));
    if (whole > 0) yield encoded(octets.subarray(0, whole));
  }
  if (rest.length > 0) yield encoded(rest);
}

/** Whole lines, the last of which may be a shorter one. */
function inLines(text: Buffer, isContinued: boolean): Buffer {
  const lines = Math.ceil(text.length / LINE_CHARACTERS);
  const result = Buffer.allocUnsafe(text.length + 2 * (isContinued ? lines : lines - 1));
  let end = 0;
  for (let at = 0; at < text.length; at += LINE_CHARACTERS) {
    if (at > 0 || isContinued) {
      result[end++] = 13;
      result[end++] = 10;
    }
    end += text.copy(result, end, at, at + LINE_CHARACTERS);
  }
  return result;
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
