import { Base64Reader, NotBase64 } from '../../domain/base64.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';
import { MAX_ATTACHMENTS, MAX_MAIL_MB, MAX_MAIL_OCTETS } from '../../domain/sends/attachments.ts';
import type { SpooledFile } from '../../platform/objects/object-store.ts';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';

/** Longer than the names that are looked for; one that is written with escapes is not found, and its value stays where it is. */
const NAME_BYTES = 16;

/** A JSON body without what was taken out of it. */
export interface SparedBody {
  /** With an empty text in the place of each content. */
  readonly bytes: Buffer;
  /** The contents of `attachments`, by the index of their element. */
  readonly contents: ReadonlyMap<number, SpooledFile>;
}

export interface SparingOptions {
  readonly spool: (source: AsyncIterable<Uint8Array>, most: number) => Promise<SpooledFile>;
  /** Of what is left in memory. */
  readonly mostBytes: number;
  readonly tooLarge: () => Refusal;
}

/**
 * Reads a body of POST /send as it comes, and decodes each `attachments[].content` into a file at once: neither it nor its base64 is ever whole in
 * memory. Of a text that is no JSON it says something or other: parsing the rest fails. Throws the Refusal of what is no base64 or too large; no
 * file is left then.
 */
export async function spareContents(pieces: AsyncIterable<Buffer>, options: SparingOptions): Promise<SparedBody> {
  const body = new SparingReader(pieces, options);
  try {
    return await body.read();
  } catch (error) {
    await body.dispose();
    throw error;
  }
}

class SparingReader {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #options: SparingOptions;
  readonly #left: Buffer[] = [];
  #leftBytes = 0;
  readonly contents = new Map<number, SpooledFile>();
  #base64Bytes = 0;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  #depth = 0;
  /** The latest name in the body itself, and in an element of `attachments`. */
  #member = '';
  #field = '';
  #lastText = '';
  #isBehindColon = false;
  #isInAttachments = false;
  #index = 0;

  constructor(pieces: AsyncIterable<Buffer>, options: SparingOptions) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#options = options;
  }

  async read(): Promise<SparedBody> {
    while (await this.#more()) {
      const from = this.#at;
      const quote = this.#upToText();
      this.#keep(this.#piece.subarray(from, this.#at));
      if (!quote) continue;
      if (this.#isContent()) await this.#spare();
      else await this.#text();
    }
    return { bytes: Buffer.concat(this.#left), contents: this.contents };
  }

  async dispose(): Promise<void> {
    for (const file of this.contents.values()) await file[Symbol.asyncDispose]();
  }

  /** Whether there is a byte to read. */
  async #more(): Promise<boolean> {
    while (this.#at >= this.#piece.length) {
      const { done, value } = await this.#pieces.next();
      if (done) return false;
      this.#piece = value;
      this.#at = 0;
    }
    return true;
  }

  #keep(bytes: Buffer): void {
    this.#leftBytes += bytes.length;
    if (this.#leftBytes > this.#options.mostBytes) throw this.#options.tooLarge();
    // A copy, so that no large piece stays for the few bytes of it.
    this.#left.push(Buffer.from(bytes));
  }

  /** Reads structure up to a text, or to the end of the piece. Whether a text begins. */
  #upToText(): boolean {
    const piece = this.#piece;
    for (; this.#at < piece.length; this.#at++) {
      const byte = piece[this.#at] as number;
      if (byte === QUOTE) return true;
      if (byte <= 0x20) continue;
      this.#structure(byte);
    }
    return false;
  }

  #structure(byte: number): void {
    if (byte === COLON) {
      if (this.#depth === 1) this.#member = this.#lastText;
      if (this.#depth === 3) this.#field = this.#lastText;
      this.#isBehindColon = true;
      return;
    }
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#depth++;
      if (this.#depth === 2) {
        this.#isInAttachments = byte === OPEN_ARRAY && this.#isBehindColon && this.#member === 'attachments';
        this.#index = 0;
      }
      if (this.#depth === 3) this.#field = '';
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.#depth--;
    else if (byte === COMMA && this.#depth === 2) this.#index++;
    this.#isBehindColon = false;
  }

  #isContent(): boolean {
    return (
      this.#depth === 3 && this.#isInAttachments && this.#isBehindColon && this.#field === 'content' && !this.contents.has(this.#index)
    );
  }

  /** Keeps a text, at whose first quotation mark the reader stands. */
  async #text(): Promise<void> {
    let name = '';
    let isEscaped = false;
    let begun = false;
    while (await this.#more()) {
      const from = this.#at;
      let isOver = false;
      for (; this.#at < this.#piece.length && !isOver; this.#at++) {
        const byte = this.#piece[this.#at];
        if (!begun) begun = true;
        else if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isOver = true;
      }
      const bytes = this.#piece.subarray(from, this.#at);
      if (name.length <= NAME_BYTES) name += bytes.toString('latin1', 0, NAME_BYTES + 1);
      this.#keep(bytes);
      if (isOver) break;
    }
    this.#lastText = name.slice(1, -1);
    this.#isBehindColon = false;
  }

  /** Decodes a content into a file, and keeps an empty text in its place. */
  async #spare(): Promise<void> {
    const index = this.#index;
    if (index >= MAX_ATTACHMENTS) throw invalidRequest([{ path: 'attachments', message: `at most ${MAX_ATTACHMENTS}` }]);
    this.#at++;
    try {
      this.contents.set(index, await this.#options.spool(this.#decoded(), MAX_MAIL_OCTETS));
    } catch (error) {
      if (error instanceof NotBase64) throw invalidRequest([{ path: `attachments[${index}].content`, message: error.message }]);
      throw error;
    }
    this.#keep(Buffer.from('""'));
    this.#isBehindColon = false;
  }

  async *#decoded(): AsyncGenerator<Buffer> {
    const reader = new Base64Reader();
    while (await this.#more()) {
      const from = this.#at;
      const quote = this.#piece.indexOf(QUOTE, from);
      const to = quote < 0 ? this.#piece.length : quote;
      this.#base64Bytes += to - from;
      if (this.#base64Bytes > MOST_BASE64_BYTES) throw new Refusal('payload_too_large', `an email has at most ${MAX_MAIL_MB} MB in base64`);
      this.#at = to;
      yield reader.pushJson(this.#piece.toString('latin1', from, to));
      if (quote < 0) continue;
      this.#at++;
      yield reader.end();
      return;
    }
    throw new Refusal('invalid_json', 'the body ends within a text');
  }
}

/** Where each `+` and `/` is written as an escape of six characters, a text is a sixth longer. */
const MOST_BASE64_BYTES = Math.ceil(MAX_MAIL_OCTETS * 1.2);
