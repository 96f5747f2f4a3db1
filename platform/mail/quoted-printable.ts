import { ByteSink } from './byte-sink.ts';

const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const EQUALS = 61;
const DOT = 46;
/** RFC 2045 6.7: at most 76 characters in a line, the last of which may have to be the "=" of a soft line break. */
const LAST_COLUMN = 75;
const MAX_LINE = 76;
/** One UTF-16 unit makes up to three octets, each three characters long, and a soft line break comes after 25 of those. */
const WORST_PER_UNIT = 12;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/** 1 for the characters that stand for themselves wherever they are. */
const LITERAL = new Uint8Array(128);
for (let octet = 33; octet < 127; octet++) LITERAL[octet] = octet === EQUALS || octet === DOT ? 0 : 1;

/** Text that was encoded once, from the beginning of a line on, to be put into many mails. */
export interface EncodedBlock {
  readonly bytes: Uint8Array;
  /** Up to and without its first line break; undefined when the block has no line break. */
  readonly firstLine: number | undefined;
  /** Where a line stands after the block. */
  readonly endColumn: number;
  readonly beginsWithBreak: boolean;
}

/**
 * Quoted-printable (RFC 2045 6.7) of text that comes in pieces: decoding what was written gives the pieces joined, line ends of any kind as
 * CRLF. No line begins with a dot, so that no transport has to double it.
 */
export class QuotedPrintableWriter {
  readonly #sink: ByteSink;
  readonly #start: number;
  #column = 0;
  #afterCr = false;
  /** The first half of a surrogate pair at the end of a piece: its other half may come with the next. */
  #half = '';

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.#start = sink.end;
  }

  write(piece: string): void {
    if (piece === '') return;
    let text = piece;
    if (this.#half !== '') {
      text = this.#half + piece;
      this.#half = '';
    }
    if ((text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    this.#encode(text);
  }

  /** Text that was encoded before; `text` is what it was made of. */
  writeBlock(block: EncodedBlock, text: string): void {
    if (this.#half !== '' || (this.#afterCr && block.beginsWithBreak)) {
      this.write(text);
      return;
    }
    const { bytes, firstLine, endColumn } = block;
    const sink = this.#sink;
    sink.reserve(bytes.length + 3);
    if (block.beginsWithBreak) this.#protectSpace();
    else if (this.#column > 0 && this.#column + (firstLine ?? endColumn + 1) > MAX_LINE) this.#softBreak();
    sink.bytes.set(bytes, sink.end);
    sink.end += bytes.length;
    this.#column = firstLine === undefined ? this.#column + endColumn : endColumn;
    this.#afterCr = false;
  }

  /** Ends the text; nothing can be written any more. */
  finish(): void {
    this.#encode(this.#half);
    this.#half = '';
    this.#sink.reserve(3);
    this.#protectSpace();
  }

  get column(): number {
    return this.#column;
  }

  #softBreak(): void {
    const { bytes } = this.#sink;
    let { end } = this.#sink;
    bytes[end++] = EQUALS;
    bytes[end++] = CR;
    bytes[end++] = LF;
    this.#sink.end = end;
    this.#column = 0;
  }

  /** White space at the end of a line would be lost on the way. */
  #protectSpace(): void {
    const { bytes, end } = this.#sink;
    if (this.#column > 0 && end > this.#start && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB)) this.#softBreak();
  }

  #encode(text: string): void {
    const { length } = text;
    if (length === 0) return;
    const sink = this.#sink;
    sink.reserve(length * WORST_PER_UNIT + 16);
    const out = sink.bytes;
    const last = length - 1;
    let i = 0;
    const first = text.charCodeAt(0);
    if (first === LF || first === CR) {
      if (first === LF && this.#afterCr) i++;
      else this.#protectSpace();
    }
    let { end } = sink;
    let column = this.#column;
    for (; i < length; i++) {
      const unit = text.charCodeAt(i);
      // By far the most characters: letters, and spaces before letters.
      if (column < LAST_COLUMN && unit < 128 && (LITERAL[unit] === 1 || (unit === SPACE && i < last && text.charCodeAt(i + 1) > SPACE))) {
        out[end++] = unit;
        column++;
        continue;
      }
      if (unit === LF || unit === CR) {
        if (unit === CR && i < last && text.charCodeAt(i + 1) === LF) i++;
        out[end++] = CR;
        out[end++] = LF;
        column = 0;
        continue;
      }
      if (unit < 128 && standsForItself(unit, text, i, column)) {
        if (column === LAST_COLUMN) {
          end = softBreak(out, end);
          column = 0;
        }
        out[end++] = unit;
        column++;
        continue;
      }
      let point = unit;
      if ((unit & 0xf800) === 0xd800) {
        point = wholeCodePoint(text, i);
        if (point > 0xffff) i++;
      }
      const octets = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      for (let left = octets - 1; left >= 0; left--) {
        const octet = left === octets - 1 ? FIRST[octets]! | (point >> (6 * left)) : 0x80 | ((point >> (6 * left)) & 0x3f);
        if (column + 3 > LAST_COLUMN) {
          end = softBreak(out, end);
          column = 0;
        }
        end = escaped(out, end, octet);
        column += 3;
      }
    }
    sink.end = end;
    this.#column = column;
    this.#afterCr = text.charCodeAt(length - 1) === CR;
  }
}

/** Of a surrogate; a half that stands alone comes as the replacement character. */
function wholeCodePoint(text: string, at: number): number {
  const point = text.codePointAt(at)!;
  return point > 0xffff ? point : 0xfffd;
}

/** Of ASCII. White space does not at the end of a line, where it would be lost, and a dot not at the beginning. */
function standsForItself(unit: number, text: string, at: number, column: number): boolean {
  if (unit === DOT) return column > 0 && column < LAST_COLUMN;
  if (unit !== SPACE && unit !== TAB) return LITERAL[unit] === 1;
  if (at === text.length - 1) return true;
  const next = text.charCodeAt(at + 1);
  return next !== LF && next !== CR;
}

/** How the first octet of a UTF-8 sequence of this length begins. */
const FIRST = [0, 0, 0xc0, 0xe0, 0xf0];

function softBreak(out: Uint8Array, at: number): number {
  out[at] = EQUALS;
  out[at + 1] = CR;
  out[at + 2] = LF;
  return at + 3;
}

function escaped(out: Uint8Array, at: number, octet: number): number {
  out[at] = EQUALS;
  out[at + 1] = HEX[octet >> 4]!;
  out[at + 2] = HEX[octet & 15]!;
  return at + 3;
}

/** Encodes text that is to stand in many mails. undefined for the rare text whose encoding depends on what stands before or after it. */
export function encodeBlock(text: string): EncodedBlock | undefined {
  if (text === '' || text.includes('\r') || /^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text)) return undefined;
  const sink = new ByteSink(text.length * 2);
  const writer = new QuotedPrintableWriter(sink);
  writer.write(text);
  const bytes = sink.bytes.slice(0, sink.end);
  const firstBreak = bytes.indexOf(CR);
  return {
    bytes,
    firstLine: firstBreak < 0 ? undefined : firstBreak,
    endColumn: writer.column,
    beginsWithBreak: firstBreak === 0,
  };
}
