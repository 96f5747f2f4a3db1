import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The bytes of a message by their place, of which few are in memory at once. For threads that serve nobody else: it waits for the disk. */
export interface MessageSource {
  readonly size: number;
  /** Fills a buffer with those from `start` on, and answers with what it got. */
  read(into: Buffer, start: number): Buffer;
  close(): void;
}

const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const DASH = 0x2d;
/** What a line that may be a delimiter begins with, and the line feed before it. */
const DELIMITER = Buffer.from('\n--');

/** A message in memory, or in a file. */
export function openMessage(content: { readonly bytes: Uint8Array } | { readonly path: string }): MessageSource {
  if ('bytes' in content) {
    const { buffer, byteOffset, length } = content.bytes;
    const bytes = Buffer.from(buffer, byteOffset, length);
    return { size: length, read: (into, start) => into.subarray(0, bytes.copy(into, 0, start)), close: () => {} };
  }
  const file = openSync(content.path, 'r');
  return {
    size: fstatSync(file).size,
    read(into, start) {
      const read = readSync(file, into, 0, into.length, start);
      if (read === 0 && into.length > 0) throw Object.assign(new Error('the file of a message is shorter than it was'), { code: 'EIO' });
      return into.subarray(0, read);
    },
    close: () => closeSync(file),
  };
}

/** Piece by piece, each in the memory of the one before. */
export function* piecesOf(source: MessageSource, start: number, end: number): Generator<Buffer> {
  const memory = Buffer.allocUnsafe(Math.max(0, Math.min(end - start, PIECE_BYTES)));
  for (let at = start; at < end; ) {
    const piece = source.read(memory.subarray(0, end - at), at);
    yield piece;
    at += piece.length;
  }
}

/** Lines one after the other, each with its place. */
export class LineReader {
  readonly #source: MessageSource;
  readonly #most: number;
  readonly #memory: Buffer;
  #piece: Buffer = Buffer.alloc(0);
  #pieceAt = 0;
  /** Of the line that was read last: where it begins, where its words end, and where the next begins. */
  start = 0;
  end = 0;
  next = 0;

  /** `most`: of a longer line only so many bytes are told. */
  constructor(source: MessageSource, most: number) {
    this.#source = source;
    this.#most = most;
    this.#memory = Buffer.allocUnsafe(Math.min(source.size, PIECE_BYTES));
  }

  get isDone(): boolean {
    return this.next >= this.#source.size;
  }

  /** The bytes of the next line without its line end; they are another line's when the next is read. */
  read(): Buffer {
    this.start = this.next;
    let line: Buffer | undefined;
    let last: number | undefined;
    for (let at = this.start; ; ) {
      const rest = this.#from(at);
      const lineFeed = rest.indexOf(LINE_FEED);
      const part = lineFeed < 0 ? rest : rest.subarray(0, lineFeed);
      last = part.at(-1) ?? last;
      at += part.length;
      const goesOn = lineFeed < 0 && at < this.#source.size;
      if (line !== undefined) line = Buffer.concat([line, part.subarray(0, Math.max(0, this.#most - line.length))]);
      // The next piece takes its memory.
      else line = goesOn ? Buffer.from(part) : part;
      if (goesOn) continue;
      this.next = lineFeed < 0 ? at : at + 1;
      this.end = lineFeed >= 0 && last === RETURN ? at - 1 : at;
      return line.subarray(0, lengthWithoutReturns(line));
    }
  }

  /**
   * Passes over lines, as if each had been read, up to one that begins with `--` or the last of the message; a line that goes on in the next piece is left to
   * `read`. False: there was none.
   */
  skip(): boolean {
    const from = this.next;
    const rest = this.#from(from);
    if (rest[0] === DASH) return false;
    const delimiter = rest.indexOf(DELIMITER);
    let lineFeed = delimiter < 0 ? rest.lastIndexOf(LINE_FEED) : delimiter;
    if (from + lineFeed + 1 >= this.#source.size) lineFeed = lineFeedBefore(rest, lineFeed);
    if (lineFeed < 0) return false;
    const start = lineFeedBefore(rest, lineFeed) + 1;
    this.start = from + start;
    this.end = from + lineFeed - (lineFeed > start && rest[lineFeed - 1] === RETURN ? 1 : 0);
    this.next = from + lineFeed + 1;
    return true;
  }

  #from(at: number): Buffer {
    if (at >= this.#pieceAt + this.#piece.length) {
      this.#piece = this.#source.read(this.#memory, at);
      this.#pieceAt = at;
    }
    return this.#piece.subarray(at - this.#pieceAt);
  }
}

/** Negative: there is none. */
function lineFeedBefore(bytes: Buffer, at: number): number {
  return at > 0 ? bytes.lastIndexOf(LINE_FEED, at - 1) : -1;
}

function lengthWithoutReturns(line: Buffer): number {
  let length = line.length;
  while (length > 0 && line[length - 1] === RETURN) length--;
  return length;
}
