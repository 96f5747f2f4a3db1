import PostalMime, { type Attachment, type Email, type PostalMimeOptions } from 'postal-mime';
import { charsetOf, headerInUtf8, isUtf16 } from './charsets.ts';
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
  readonly parentNode?: PartNode;
  readonly childNodes: readonly PartNode[];
  readonly contentType: {
    readonly parsed: { readonly value: string; readonly params: Record<string, string> };
    readonly multipart: string | false;
  };
  readonly contentDisposition: { readonly parsed: { readonly params: Readonly<Record<string, string>> } };
  readonly contentTransferEncoding: { readonly encoding: string };
  contentDecoder: unknown;
}

const Library = PostalMime as unknown as new (options: PostalMimeOptions) => Inside;

/** A delimiter is longer than this only where headers are longer than they may be. */
const LINE_BYTES = 512 * 1024;
const MAX_PARTS = 1000;
/** RFC 2046 5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;
/** More than a text of as many characters as one may have takes in any charset; what is beyond is not needed to refuse it. */
const SHOWN_BYTES = 2_500_000;

/** Finds the parts of a message and where they are in it: only headers and the text that is shown are in memory. */
export async function parseMessage(source: MessageSource, options: PostalMimeOptions): Promise<ParsedMessage> {
  const parser = new MessageParser(source, options);
  const email = await parser.parse(new ArrayBuffer(source.size > 0 ? 1 : 0));
  refuseWithoutParts(parser.root);
  return { email, parts: parser.parts };
}

/** What stands in them would be left out of the mail without a word. */
function refuseWithoutParts({ contentType, childNodes }: PartNode): void {
  const { multipart, parsed } = contentType;
  if (multipart && childNodes.length === 0) {
    const boundary = parsed.params.boundary?.slice(0, MAX_BOUNDARY_LENGTH);
    throw new Error(
      boundary
        ? `a ${parsed.value} with the boundary "${boundary}" has no part: no line of it is --${boundary}`
        : `a ${parsed.value} part names no boundary, so what stands in it is not to be found`,
    );
  }
  for (const node of childNodes) refuseWithoutParts(node);
}

/** The library would hold every line of every part, and alters line ends: here it gets lines of headers and delimiters, and ranges for parts. */
class MessageParser extends Library {
  readonly parts: FoundPart[] = [];
  readonly #source: MessageSource;
  readonly #lines: LineReader;
  #node: PartNode | undefined;
  #nodes = 0;
  /** Types of the texts that are shown. */
  readonly #shown = new Set<string>();
  readonly #isShown = new Map<PartNode, boolean>();

  constructor(source: MessageSource, options: PostalMimeOptions) {
    super(options);
    this.#source = source;
    this.#lines = new LineReader(source, LINE_BYTES);
  }

  override readLine(): { readonly bytes: Uint8Array; readonly done: boolean } {
    const body = this.#body();
    for (;;) {
      body?.skip();
      const bytes = this.#lines.read();
      const { isDone } = this.#lines;
      if (!isDone && body && !(bytes[0] === 0x2d && bytes[1] === 0x2d)) {
        body.update();
        continue;
      }
      // The library asks for lines until it is behind the one byte that it was given.
      this.readPos = isDone ? 1 : 0;
      return { bytes: this.currentNode.state === 'header' ? headerInUtf8(bytes) : bytes, done: isDone };
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

  /** A part with a file name is a file, unless it is what the message says: docs/contract/smtp.md 13. Parts are asked for in their order. */
  override isInlineTextNode(node: PartNode): boolean {
    const known = this.#isShown.get(node);
    if (known !== undefined) return known;
    const { value: type } = node.contentType.parsed;
    const isContent = this.#shown.size === 0 || !isNamed(node) || (isAlternative(node) && !this.#shown.has(type));
    const isShown = super.isInlineTextNode(node) && isContent;
    this.#isShown.set(node, isShown);
    if (isShown) this.#shown.add(type);
    return isShown;
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
    const range = new BodyRange(this.#source, this.#lines, node, { isShown, isRoot: node === this.root });
    ranges.set(node, range);
    node.contentDecoder = range;
    return range;
  }
}

function isNamed({ contentDisposition, contentType }: PartNode): boolean {
  return [contentDisposition.parsed.params.filename, contentType.parsed.params.name].some((name) => name?.trim());
}

/** Also with what it shows beside it. */
function isAlternative({ parentNode }: PartNode): boolean {
  const multipart = parentNode?.contentType.multipart;
  return multipart === 'related' ? isAlternative(parentNode!) : multipart === 'alternative';
}

const ranges = new WeakMap<PartNode, BodyRange>();

/** In the place of a decoder of the library: where the body of a part begins and ends, without the line end that belongs to its delimiter. */
class BodyRange {
  readonly #source: MessageSource;
  readonly #lines: LineReader;
  readonly #encoding: string;
  readonly #parameters: Record<string, string>;
  readonly #is: { readonly isShown: boolean; readonly isRoot: boolean; readonly isUtf16: boolean };
  #start: number | undefined;
  #end = 0;

  constructor(source: MessageSource, lines: LineReader, node: PartNode, is: { readonly isShown: boolean; readonly isRoot: boolean }) {
    this.#source = source;
    this.#lines = lines;
    this.#encoding = node.contentTransferEncoding.encoding;
    this.#parameters = node.contentType.parsed.params;
    this.#is = { ...is, isUtf16: is.isShown && isUtf16(this.#parameters.charset) };
  }

  /** Lines that are none of its last ones belong to it. */
  skip(): void {
    // Which of a text in UTF-16 are empty is asked for each.
    if (this.#is.isUtf16) return;
    const { next: start } = this.#lines;
    if (!this.#lines.skip()) return;
    this.#start ??= start;
    this.update();
  }

  /** The line that was read last belongs to it. */
  update(): void {
    const { start, end, next } = this.#lines;
    this.#start ??= start;
    // Line ends behind a text in UTF-16 are two octets of ASCII, and none of its characters.
    if (this.#is.isUtf16 && start === end) return;
    this.#end = this.#is.isRoot && !this.#is.isUtf16 ? next : end;
  }

  pieces(): Iterable<Buffer> {
    return decoded(piecesOf(this.#source, this.#start ?? 0, this.#end), this.#encoding);
  }

  /** What the library shows as text, by the charset that its node has then; nothing for others. */
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
    this.#parameters.charset = charsetOf(bytes, this.#parameters.charset);
    return new Uint8Array(this.#encoding === 'base64' || this.#is.isUtf16 ? bytes : withLineFeeds(bytes)).buffer;
  }
}

/** As the library shows text: each line ends in a line feed. */
function withLineFeeds(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r\n/g, '\n');
  return Buffer.from(text.endsWith('\n') || text === '' ? text : `${text}\n`, 'latin1');
}
