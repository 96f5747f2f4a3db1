import { createHash } from 'node:crypto';
import { type Issue, MAX_ISSUES } from '../errors.ts';
import { type HtmlToken, htmlTokens } from './html-tokens.ts';
import type { LanguageWords } from './language-words.ts';
import { fixedText, type PlacedPiece, placedPieces } from './pieces.ts';

/** MJML that was checked and is safe to compile: a word stands for each piece of Liquid. */
export interface MjmlSource {
  readonly mjml: string;
  /** The line of what was given that a line of `mjml` was made from. */
  lineOf(line: number): number;
  /** Puts the Liquid back into a page, in which nothing else is Liquid then. */
  expand(html: string): string;
  /** The same in words about it. */
  shown(message: string): string;
  /** Whether a text holds a word for Liquid. */
  hasLiquid(text: string): boolean;
}

/** What these hold is a text or HTML of the author. */
const TEXTS = new Set(
  (
    'mj-text mj-button mj-table mj-raw mj-style mj-title mj-preview mj-breakpoint mj-social-element mj-navbar-link ' +
    'mj-accordion-title mj-accordion-text mj-carousel-image mj-html-attribute'
  ).split(' '),
);
/** Where Liquid may stand between tags, as `mj-raw` may. */
const AROUND = new Set(
  'mj-head mj-body mj-wrapper mj-section mj-group mj-column mj-hero mj-navbar mj-social mj-accordion mj-accordion-element'.split(' '),
);
const ATTRIBUTE = /\s*([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'))?/y;
/** Characters of what is wrong. */
const MAX_SHOWN = 60;

/** Reads MJML with Liquid in it; gives everything that is wrong with its structure instead, each with its line. Throws LiquidFault. */
export function readMjml(source: string, path: string, words: LanguageWords): MjmlSource | { readonly issues: readonly Issue[] } {
  const marked = new MarkedMjml(source);
  const reader = new Reader(marked, path, words);
  for (const token of htmlTokens(marked.text)) if (!reader.add(token)) break;
  return reader.end();
}

/** What is written, with a word in the place of each piece of Liquid: MJML and what it calls pass it on wherever it stands. */
class MarkedMjml {
  readonly text: string;
  /** Stands for the subject of the mail. */
  readonly subject: string;
  readonly #word: string;
  readonly #mark: RegExp;
  readonly #pieces: readonly PlacedPiece[];
  /** Where each piece begins in the text. */
  readonly #starts: readonly number[];
  /** Where each line of the source begins. */
  readonly #lines: readonly number[];

  constructor(source: string) {
    this.#word = `lq${createHash('sha256').update(source).digest('hex').slice(0, 16)}x`;
    this.#mark = new RegExp(`${this.#word}(\\d+)z`, 'g');
    this.#pieces = placedPieces(source);
    this.subject = this.#wordFor(this.#pieces.length);
    const starts: number[] = [];
    let text = '';
    for (const [index, { piece }] of this.#pieces.entries()) {
      starts.push(text.length);
      text += piece.fixed ?? this.#wordFor(index);
    }
    this.text = text;
    this.#starts = starts;
    this.#lines = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  #wordFor(index: number): string {
    return `${this.#word}${index}z`;
  }

  has(text: string): boolean {
    return text.includes(this.#word);
  }

  marksIn(text: string): readonly string[] {
    return text.match(this.#mark) ?? [];
  }

  without(text: string): string {
    return text.replace(this.#mark, '');
  }

  expand(text: string): string {
    const liquid = (index: number): string => (index === this.#pieces.length ? '{{ subject }}' : (this.#pieces[index]?.piece.liquid ?? ''));
    return text.replace(this.#mark, (_, index: string) => liquid(Number(index)));
  }

  /** The line of the source that a place in the text is in. */
  lineAt(place: number): number {
    const index = lastAtMost(this.#starts, place);
    const { piece, begin = 0 } = this.#pieces[index] ?? {};
    return lastAtMost(this.#lines, begin + (piece?.fixed === undefined ? 0 : place - (this.#starts[index] ?? 0))) + 1;
  }
}

/** The index of the last of rising numbers that is no greater. */
function lastAtMost(numbers: readonly number[], most: number): number {
  let [from, to] = [0, numbers.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) <= most) from = middle;
    else to = middle;
  }
  return from;
}

/** Whether what it holds only names elements, whose attributes it says. */
function isOfDefaults(parent: string | undefined): boolean {
  return parent === 'mj-attributes' || parent === 'mj-class';
}

interface Opened {
  readonly name: string;
  readonly line: number;
}

/** Writes the elements anew as it reads them, so that MJML reads no tag otherwise than they were checked. */
class Reader {
  readonly #marked: MarkedMjml;
  readonly #path: string;
  readonly #words: LanguageWords;
  readonly #issues: Issue[] = [];
  readonly #open: Opened[] = [];
  readonly #out: string[] = [];
  /** By line of what is written, where an element begins. */
  readonly #lines = new Map<number, number>();
  #line = 1;
  #at = 0;
  /** Places in `out` behind the beginning of each. */
  readonly #begun = new Map<string, number>();

  constructor(marked: MarkedMjml, path: string, words: LanguageWords) {
    this.#marked = marked;
    this.#path = path;
    this.#words = words;
  }

  /** false: what follows cannot be read. */
  add(token: HtmlToken): boolean {
    const { source } = token;
    const begin = this.#at;
    this.#at += source.length;
    if (this.#issues.length >= MAX_ISSUES) return false;
    if (token.kind === 'unfinished') {
      this.#fault(begin, `a comment, a tag or an element of plain text never ends: ${this.#shown(source)}`);
      return false;
    }
    const within = this.#open.at(-1);
    if (within && TEXTS.has(within.name)) return this.#inText(within, token, begin);
    if (token.kind === 'text') this.#between(within?.name, source, begin);
    else if (token.kind === 'open') this.#element(within?.name, token.name, source, begin);
    else if (token.kind === 'close') return this.#close(token.name, begin);
    return true;
  }

  end(): MjmlSource | { readonly issues: readonly Issue[] } {
    const last = this.#open.at(-1);
    if (this.#issues.length === 0) {
      if (last) this.#issues.push(this.#issueOf(last.line, `<${last.name}> is never closed`));
      else if (!this.#begun.has('mj-body')) this.#issues.push(this.#issueOf(1, 'should be <mjml><mj-body>…</mj-body></mjml>'));
    }
    if (this.#issues.length > 0) return { issues: this.#issues };
    this.#addTitle();
    return {
      mjml: this.#out.join(''),
      lineOf: (line) => this.#lines.get(line) ?? 1,
      expand: (html) => this.#marked.expand(fixedText(html)),
      shown: (message) => this.#marked.expand(message),
      hasLiquid: (text) => this.#marked.has(text),
    };
  }

  /** Of pages without a title: the subject, as in mails that are made of blocks. */
  #addTitle(): void {
    if (this.#begun.has('mj-title')) return;
    const title = `<mj-title>${this.#marked.subject}</mj-title>`;
    const head = this.#begun.get('mj-head');
    if (head === undefined) this.#out.splice(this.#begun.get('mjml') ?? 0, 0, `<mj-head>${title}</mj-head>`);
    else this.#out.splice(head, 0, title);
  }

  /** HTML and texts go on as they are. */
  #inText(within: Opened, token: HtmlToken, begin: number): boolean {
    if (token.kind === 'close' && token.name === within.name) return this.#close(token.name, begin);
    const isOfMjml = (token.kind === 'open' || token.kind === 'close') && /^mj(?:ml$|-)/.test(token.name);
    if (isOfMjml && token.kind === 'close') {
      this.#fault(begin, `</${token.name}> stands in <${within.name}>, which began in line ${within.line} and is not closed`);
      return false;
    }
    if (isOfMjml) this.#fault(begin, `${this.#shown(token.source)} cannot stand in ${within.name}`);
    if (token.kind === 'hidden' && token.source.startsWith('<![CDATA[')) this.#fault(begin, 'CDATA is not possible');
    this.#write(token.source);
    return true;
  }

  #between(parent: string | undefined, text: string, begin: number): void {
    const place = begin + (text.length - text.trimStart().length);
    const where = parent === undefined ? 'outside of <mjml>' : `directly in ${parent}`;
    if (this.#marked.without(text).trim() !== '')
      this.#fault(place, `text cannot stand ${where}, only in an element like mj-text: ${this.#shown(text.trim())}`);
    const marks = this.#marked.marksIn(text);
    if (marks.length === 0) return;
    if (parent === undefined || !AROUND.has(parent)) this.#fault(place, `Liquid cannot stand ${where}: ${this.#shown(marks.join(''))}`);
    else this.#write(marks.map((mark) => `<mj-raw>${mark}</mj-raw>`).join(''));
  }

  #element(parent: string | undefined, name: string, source: string, begin: number): void {
    const line = this.#marked.lineAt(begin);
    const isClosed = source.endsWith('/>');
    const fault = this.#elementFault(parent, name);
    if (fault !== undefined) this.#fault(begin, fault);
    const attributes = this.#attributes(name, source.slice(1 + name.length, isClosed ? -2 : -1), begin);
    this.#write('\n');
    this.#lines.set(this.#line, line);
    const more = name === 'mjml' ? this.#language(attributes) : '';
    this.#write(`<${name}${attributes.map(([key, value]) => ` ${key}="${value}"`).join('')}${more}>`);
    if (!isOfDefaults(parent)) this.#begun.set(name, this.#out.length);
    if (isClosed) this.#write(`</${name}>`);
    else this.#open.push({ name, line });
  }

  #elementFault(parent: string | undefined, name: string): string | undefined {
    if (name === 'mj-include') return 'mj-include is not possible: write what it would include in its place';
    if (this.#marked.has(name)) return 'Liquid cannot be the name of an element';
    if (!/^mj(?:ml$|-)/.test(name)) return `<${name}> is no element of MJML; HTML may stand in mj-text, mj-table and mj-raw`;
    if (parent === undefined) {
      if (name !== 'mjml') return `<${name}> stands outside of <mjml>`;
      return this.#begun.has('mjml') ? 'there can be only one <mjml>' : undefined;
    }
    if (parent === 'mjml') {
      if (name !== 'mj-head' && name !== 'mj-body') return `<${name}> cannot stand directly in mjml, only mj-head and mj-body`;
      return this.#begun.has(name) ? `there can be only one <${name}>` : undefined;
    }
    if (isOfDefaults(parent)) return undefined;
    return name === 'mjml' || name === 'mj-head' || name === 'mj-body' ? `<${name}> cannot stand in ${parent}` : undefined;
  }

  #attributes(element: string, source: string, begin: number): (readonly [string, string])[] {
    const found: (readonly [string, string])[] = [];
    const end = source.trimEnd().length;
    ATTRIBUTE.lastIndex = 0;
    for (let at = 0; at < end; at = ATTRIBUTE.lastIndex) {
      const [, name = '', quoted] = ATTRIBUTE.exec(source) ?? [];
      const fault = this.#attributeFault(element, name, quoted);
      if (fault !== undefined) {
        this.#fault(begin, `${element}: ${fault}`);
        return found;
      }
      found.push([
        name,
        (quoted ?? '')
          .slice(1, -1)
          .replaceAll('"', '&quot;')
          .replace(/\s*\n\s*/g, ' '),
      ]);
    }
    return found;
  }

  #attributeFault(element: string, name: string, quoted: string | undefined): string | undefined {
    if (name === '') return 'its attributes should be written as name="value"';
    if (this.#marked.has(name)) return 'Liquid may stand in the value of an attribute, within its quotes, and not beside it';
    if (quoted === undefined) return `the attribute ${this.#shown(name)} should have a value in quotes`;
    if (element === 'mj-raw' && name === 'position') return 'position is not possible: it would stand before the page';
    const isClass = name === 'mj-class' || (element === 'mj-class' && name === 'name');
    if (isClass && this.#marked.has(quoted)) return 'Liquid cannot choose an mj-class, which MJML looks up before the email is made';
    return undefined;
  }

  #language(attributes: readonly (readonly [string, string])[]): string {
    if (attributes.some(([name]) => name === 'lang')) return '';
    const isSaid = attributes.some(([name]) => name === 'dir');
    return ` lang="${this.#words.tag}"${this.#words.isRightToLeft && !isSaid ? ' dir="rtl"' : ''}`;
  }

  /** false: nothing that follows would be read as it was meant. */
  #close(name: string, begin: number): boolean {
    const last = this.#open.at(-1);
    if (last?.name === name) {
      this.#open.pop();
      this.#write(`</${name}>`);
      return true;
    }
    if (last)
      this.#issues.push(this.#issueOf(last.line, `<${last.name}> is not closed before </${name}> in line ${this.#marked.lineAt(begin)}`));
    else this.#fault(begin, `</${name}> closes nothing`);
    return false;
  }

  #write(text: string): void {
    this.#out.push(text);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
  }

  #fault(place: number, message: string): void {
    this.#issues.push(this.#issueOf(this.#marked.lineAt(place), message));
  }

  #issueOf(line: number, message: string): Issue {
    return { path: this.#path, message: `line ${line}: ${message}` };
  }

  #shown(source: string): string {
    const text = this.#marked.expand(source).replace(/\s+/g, ' ');
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  }
}
