import { isInline } from '../../domain/sends/attachments.ts';
import { encodedWords, isAscii, oneLine } from './header.ts';
import type { AttachedFile } from './mail.ts';

const NO_FILES: readonly AttachedFile[] = [];

/**
 * The levels of a message (RFC 2046 5.1, RFC 2387), of which it has those that it needs: mixed( alternative( text, related( html, inline files ) ), files ).
 * "=_" occurs in no quoted-printable or base64 text, and no boundary begins with another one.
 */
export class Levels {
  readonly #inline: readonly AttachedFile[];
  readonly #others: readonly AttachedFile[];
  readonly #alternative: string;
  readonly #related: string;
  readonly #mixed: string;

  constructor(sendId: string, files = NO_FILES) {
    this.#inline = files.length === 0 ? NO_FILES : files.filter(isInline);
    this.#others = files.length === 0 ? NO_FILES : files.filter((file) => !isInline(file));
    this.#alternative = `=_${sendId}`;
    this.#related = `=_r_${sendId}`;
    this.#mixed = `=_m_${sendId}`;
  }

  /** From the type of the whole message up to its first part. */
  get begin(): string {
    const alternative = typeLine('alternative', this.#alternative);
    return this.#others.length === 0 ? alternative : `${typeLine('mixed', this.#mixed)}--${this.#mixed}\r\n${alternative}`;
  }

  /** Before the line of what the text part is. */
  get text(): string {
    return `--${this.#alternative}\r\n`;
  }

  /** The same of the HTML part, behind the text. */
  get html(): string {
    const start = `\r\n--${this.#alternative}\r\n`;
    return this.#inline.length === 0 ? start : `${start}${typeLine('related', this.#related, '; type="text/html"')}--${this.#related}\r\n`;
  }

  /** What comes behind the HTML part: a file stands behind each of them but the last. */
  get end(): readonly string[] {
    const pieces: string[] = [];
    let text = '';
    const add = (files: readonly AttachedFile[], boundary: string): void => {
      for (const file of files) {
        pieces.push(`${text}\r\n--${boundary}\r\n${fileHead(file)}`);
        text = '';
      }
      text += `\r\n--${boundary}--`;
    };
    if (this.#inline.length > 0) add(this.#inline, this.#related);
    add(NO_FILES, this.#alternative);
    if (this.#others.length > 0) add(this.#others, this.#mixed);
    return [...pieces, `${text}\r\n`];
  }
}

function typeLine(subtype: string, boundary: string, parameter = ''): string {
  return `Content-Type: multipart/${subtype}${parameter};\r\n boundary="${boundary}"\r\n\r\n`;
}

function fileHead({ filename, contentType, contentId }: AttachedFile): string {
  const name = oneLine(filename).toWellFormed();
  return (
    `Content-Type: ${contentType};\r\n name="${plainName(name)}"\r\nContent-Transfer-Encoding: base64\r\n` +
    `Content-Disposition: ${contentId === undefined ? 'attachment' : 'inline'};\r\n${filenameParameter(name)}\r\n` +
    `${contentId === undefined ? '' : `Content-ID: <${contentId}>\r\n`}\r\n`
  );
}

/** For readers that know no RFC 2231: encoded-words, which nobody else takes for the name. */
function plainName(name: string): string {
  return isPlain(name) ? quotable(name) : encodedWords(name, ' name="'.length);
}

const MAX_PLAIN = 200;
/** Of a line, which has some 20 characters beside it. */
const SECTION = 54;

/** RFC 2183, and RFC 2231 for what is no ASCII or long. */
function filenameParameter(name: string): string {
  if (isPlain(name)) return ` filename="${quotable(name)}"`;
  const sections: string[] = [''];
  for (const character of name) {
    const encoded = percentEncoded(character);
    if ((sections.at(-1) as string).length + encoded.length > SECTION) sections.push('');
    sections[sections.length - 1] += encoded;
  }
  if (sections.length === 1) return ` filename*=utf-8''${sections[0]}`;
  return sections.map((section, index) => ` filename*${index}*=${index === 0 ? "utf-8''" : ''}${section}`).join(';\r\n');
}

function isPlain(name: string): boolean {
  return isAscii(name) && name.length <= MAX_PLAIN && !name.includes('=?');
}

function quotable(name: string): string {
  return name.replace(/["\\]/g, '\\$&');
}

/** RFC 2231 7: what is no attribute-char is encoded, each octet by itself. */
function percentEncoded(character: string): string {
  if (/^[\w.-]$/.test(character)) return character;
  return [...Buffer.from(character, 'utf8')].map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
