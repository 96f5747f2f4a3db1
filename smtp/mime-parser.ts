import PostalMime, { type Attachment, type Email, type PostalMimeOptions } from 'postal-mime';
import { LineReader, type MessageSource, piecesOf } from './message-source.ts';
import { decoded } from './part-content.ts';

/** An attachment of a message, as it says it is. */
export interface FoundPart {
  readonly about: Omit<Attachment, 'content'>;
  /** Of its Content-Type, by their names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Its bytes, piece by piece; they are read when asked for. */
  pieces(): Iterable<Buffer>;
}

export interface ParsedMessage {
  /** Its `attachments` lack their bytes. */
  readonly email: Email;
  readonly parts: readonly FoundPart[];
}

/** What the library has inside, of the version that package.json pins. */
interface Inside {
  readonly root: PartNode;
  readonly currentNode: PartNode;
  readonly attachments: readonly Attachment[];
  readPos: number;
  readLine(): { readonly bytes: Uint8Array; readonly done: boolean };
  isInlineTextNode(node: PartNode): boolean;
  collectAttachment(node: PartNode, content: ArrayBuffer, related: boolean, isNestedTooDeeply: boolean): void;
  parse(bytes: ArrayBuffer): Promise<Email>;
}

interface PartNode {
  readonly state: 'header' | 'body' | 'finished';
  readonly contentType: { readonly parsed: { readonly params: Readonly<Record<string, string>> }; readonly multipart: string | false };
  readonly contentTransferEncoding: { readonly encoding: string };
  contentDecoder: unknown;
}

const Library = PostalMime as unknown as new (options: PostalMimeOptions) => Inside;

/** A delimiter is longer than this only where headers are longer than they may be. */
const LINE_BYTES = 512 * 1024;
const MAX_PARTS = 1000;
/** More than a text of as many characters as one may have takes in any charset; what is beyond is not needed to refuse it. */
const SHOWN_BYTES = 2_500_000;

/** Finds the parts of a message and where they are in it: only headers and the text that is shown are in memory. */
export async function parseMessage(source: MessageSource, options: PostalMimeOptions): Promise<ParsedMessage> {
  const parser = new MessageParser(source, options);
  return { email: await parser.parse(new ArrayBuffer(source.size > 0 ? 1 : 0)), parts: parser.parts };
}

/** The library would hold every line of every part, and alters line ends: here it gets lines of headers and delimiters, and ranges for parts. */
class MessageParser extends Library {
  readonly parts: FoundPart[] = [];
  readonly #source: MessageSource;
  readonly #lines: LineReader;
  #node: PartNode | undefined;
  #nodes = 0;

  constructor(source: MessageSource, options: PostalMimeOptions) {
    super(options);
    this.#source = source;
    this.#lines = new LineReader(source, LINE_BYTES);
  }

  override readLine(): { readonly bytes: Uint8Array; readonly done: boolean } {
    const body = this.#body();
    for (;;) {
      const bytes = this.#lines.read();
      const { isDone } = this.#lines;
      if (!isDone && body && !(bytes[0] === 0x2d && bytes[1] === 0x2d)) {
        body.update();
        continue;
      }
      // The library asks for lines until it is behind the one byte that it was given.
      this.readPos = isDone ? 1 : 0;
      return { bytes, done: isDone };
    }
  }

  override collectAttachment(node: PartNode, content: ArrayBuffer, related: boolean, isNestedTooDeeply: boolean): void {
    super.collectAttachment(node, content, related, isNestedTooDeeply);
    const range = ranges.get(node);
    this.parts.push({
      about: this.attachments.at(-1) as Attachment,
      parameters: node.contentType.parsed.params,
      pieces: () => range?.pieces() ?? [],
    });
  }

  /** Where the part stands whose body the next line may belong to. */
  #body(): BodyRange | undefined {
    const node = this.currentNode;
    if (node !== this.#node && ++this.#nodes > MAX_PARTS) throw new Error(`a message has at most ${MAX_PARTS} parts`);
    this.#node = node;
    if (node.state !== 'body') return undefined;
    const known = ranges.get(node);
    if (known) return known;
    const isShown = !node.contentType.multipart && this.isInlineTextNode(node);
    const range = new BodyRange(this.#source, this.#lines, node.contentTransferEncoding.encoding, { isShown, isRoot: node === this.root });
    ranges.set(node, range);
    node.contentDecoder = range;
    return range;
  }
}

const ranges = new WeakMap<PartNode, BodyRange>();

/** In the place of a decoder of the library: where the body of a part begins and ends, without the line end that belongs to its delimiter. */
class BodyRange {
  readonly #source: MessageSource;
  readonly #lines: LineReader;
  readonly #encoding: string;
  readonly #is: { readonly isShown: boolean; readonly isRoot: boolean };
  #start: number | undefined;
  #end = 0;

  constructor(source: MessageSource, lines: LineReader, encoding: string, is: { readonly isShown: boolean; readonly isRoot: boolean }) {
    this.#source = source;
    this.#lines = lines;
    this.#encoding = encoding;
    this.#is = is;
  }

  /** The line that was read last belongs to it. */
  update(): void {
    this.#start ??= this.#lines.start;
    this.#end = this.#is.isRoot ? this.#lines.next : this.#lines.end;
  }

  pieces(): Iterable<Buffer> {
    return decoded(piecesOf(this.#source, this.#start ?? 0, this.#end), this.#encoding);
  }

  /** What the library shows as text; nothing for others. */
  finalize(): ArrayBuffer {
    return this.#is.isShown ? this.#text() : new ArrayBuffer(0);
  }

  #text(): ArrayBuffer {
    const pieces: Buffer[] = [];
    let size = 0;
    for (const piece of this.pieces()) {
      pieces.push(Buffer.from(piece));
      size += piece.length;
      if (size > SHOWN_BYTES) break;
    }
    const bytes = Buffer.concat(pieces).subarray(0, SHOWN_BYTES);
    return new Uint8Array(this.#encoding === 'base64' ? bytes : withLineFeeds(bytes)).buffer;
  }
}

/** As the library shows text: each line ends in a line feed. */
function withLineFeeds(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r\n/g, '\n');
  return Buffer.from(text.endsWith('\n') || text === '' ? text : `${text}\n`, 'latin1');
}
