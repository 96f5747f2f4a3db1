import { createHash } from 'node:crypto';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;

/** A header field, with or without its CRLF, in the "relaxed" form (RFC 6376 3.4.2), without one. */
export function relaxedHeader(field: string): string {
  const colon = field.indexOf(':');
  // Not trim(), which takes more for white space than the RFC.
  const value = field.slice(colon + 1).replace(/[\t\r\n ]+/g, ' ');
  return `${field.slice(0, colon).trimEnd().toLowerCase()}:${value.slice(value.startsWith(' ') ? 1 : 0, value.endsWith(' ') ? -1 : undefined)}`;
}

/** What update() writes into: nobody looks at it when it has returned. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** SHA-256 of a body in the "relaxed" form (RFC 6376 3.4.4). It comes in pieces, cut wherever, with CRLF for its line ends. */
export class RelaxedBodyHash {
  readonly #hash = createHash('sha256');
  /** What was read and is only written when something comes behind it: line ends, then white space, then a CR that may begin a line end. */
  #lines = 0;
  #space = false;
  #afterCr = false;
  #isEmpty = true;

  update(octets: Uint8Array): void {
    const { length } = octets;
    const most = length + 2 * this.#lines + 2;
    if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most);
    const out = scratch;
    let [lines, space, afterCr, end, i] = [this.#lines, this.#space, this.#afterCr, 0, 0];
    while (i < length) {
      let octet = octets[i]!;
      if (octet === LF && afterCr) {
        lines++;
        space = afterCr = false;
        i++;
        continue;
      }
      const isSpace = octet === SPACE || octet === TAB;
      if (afterCr || !(isSpace || octet === CR)) {
        for (; lines > 0; lines--) {
          out[end++] = CR;
          out[end++] = LF;
        }
        if (space) out[end++] = SPACE;
        if (afterCr) out[end++] = CR;
        space = false;
      }
      afterCr = octet === CR;
      if (isSpace) space = true;
      if (isSpace || afterCr) {
        i++;
        continue;
      }
      // Most of a line: what stays as it is, up to white space that may not.
      do {
        out[end++] = octet;
        octet = ++i < length ? octets[i]! : 0;
      } while (octet > SPACE || (octet === SPACE && i + 1 < length && octets[i + 1]! > SPACE));
    }
    if (end > 0) {
      this.#hash.update(out.subarray(0, end));
      this.#isEmpty = false;
    }
    [this.#lines, this.#space, this.#afterCr] = [lines, space, afterCr];
  }

  /** In base64; nothing can come any more. */
  digest(): string {
    // Nothing but empty lines is nothing; else there is one line end, whether it was there or not.
    if (!this.#isEmpty) this.#hash.update('\r\n');
    return this.#hash.digest('base64');
  }
}
