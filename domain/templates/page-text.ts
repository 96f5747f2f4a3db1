import { convert } from 'html-to-text';
import { unescapeHtml } from './escape.ts';
import { BRACE } from './fixed-text.ts';
import { attributeOf, type HtmlToken, htmlTokens } from './html-tokens.ts';
import { asMaybeLeaving } from './leaving.ts';
import { Letter } from './letter.ts';
import { hasMark, MARK, type MarkedSource, marksIn } from './marked-source.ts';
import { fixedText } from './pieces.ts';

const PARAGRAPHS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre hr form figure section article header footer main nav aside address'.split(' '),
);
const LINES = new Set('div tr center dt dd caption figcaption br'.split(' '));
/** What they hold is not shown. */
const UNSEEN = new Set(['style', 'script', 'title', 'template']);
const VOID = new Set('area base br col hr img input link meta wbr'.split(' '));
const HIDDEN = /display\s*:\s*none/i;
const SHOWN_ADDRESS = /^(?:https?:|mailto:)/i;
const RULE = '-'.repeat(40);

/**
 * The text part of a page whose author wrote none, as Liquid source. Every tag of Liquid stays where it is, so that the text loops and
 * branches as the page does; what stands between becomes text.
 */
export function textOfPage(page: MarkedSource, parsesAlone: (part: string) => boolean): string {
  const writer = new PageText(page, parsesAlone);
  for (const token of htmlTokens(page.text)) writer.add(token);
  return writer.toString();
}

class PageText {
  readonly #page: MarkedSource;
  readonly #parsesAlone: (part: string) => boolean;
  readonly #letter = new Letter();
  /** The element that is being passed over, and how many of its name are open. */
  #unseen: { readonly name: string; depth: number } | undefined;
  #link: { readonly href: string; readonly place: number } | undefined;

  constructor(page: MarkedSource, parsesAlone: (part: string) => boolean) {
    this.#page = page;
    this.#parsesAlone = parsesAlone;
  }

  add(token: HtmlToken): void {
    if (token.kind === 'text') {
      if (this.#unseen) this.#keepTags(token.source);
      else this.#text(token.source);
      return;
    }
    if (token.kind === 'close') this.#close(token.name);
    this.#keepTags(token.source);
    if (token.kind === 'open') this.#open(token.name, token.source);
  }

  toString(): string {
    return this.#letter.toString();
  }

  /** Text with Liquid between. */
  #text(source: string): void {
    let at = 0;
    for (const found of source.matchAll(MARK)) {
      this.#letter.text(decoded(source.slice(at, found.index)));
      const [mark] = found;
      if (this.#isTag(mark)) this.#letter.tag(mark);
      else this.#letter.ink(asMaybeLeaving(mark, this.#page.liquidOf(mark)));
      at = found.index + mark.length;
    }
    this.#letter.text(decoded(source.slice(at)));
  }

  /** Of what is not shown: tags that only write are no loss. */
  #keepTags(source: string): void {
    for (const mark of marksIn(source))
      if (this.#isTag(mark) && !/^\{%\s*(?:cycle|echo)\b/.test(this.#page.liquidOf(mark))) this.#letter.tag(mark);
  }

  #isTag(mark: string): boolean {
    return this.#page.liquidOf(mark).startsWith('{%');
  }

  #open(name: string, tag: string): void {
    if (this.#unseen) {
      if (this.#unseen.name === name) this.#unseen.depth++;
      return;
    }
    if (!VOID.has(name) && (UNSEEN.has(name) || HIDDEN.test(attributeOf(tag, 'style') ?? ''))) {
      this.#unseen = { name, depth: 1 };
      return;
    }
    this.#breaksAt(name);
    if (name === 'li') this.#item();
    else if (name === 'hr') this.#letter.text(RULE);
    else if (name === 'td' || name === 'th') this.#letter.space();
    else if (name === 'img') this.#picture(attributeOf(tag, 'alt') ?? '');
    else if (name === 'a') this.#link = { href: attributeOf(tag, 'href')?.trim() ?? '', place: this.#letter.place };
    if (name === 'hr') this.#breaksAt(name);
  }

  #close(name: string): void {
    if (this.#unseen) {
      if (this.#unseen.name === name && --this.#unseen.depth === 0) this.#unseen = undefined;
      return;
    }
    if (name === 'a') this.#endLink();
    // Rows and items begin with a break, so that those of a loop stand beneath each other.
    if (name !== 'tr' && name !== 'br') this.#breaksAt(name);
  }

  #breaksAt(name: string): void {
    if (PARAGRAPHS.has(name)) this.#letter.break(2);
    else if (LINES.has(name)) this.#letter.break(1);
  }

  #item(): void {
    this.#letter.break(1);
    this.#letter.ink('-');
    this.#letter.space();
  }

  #picture(alt: string): void {
    if (alt.trim() === '' || marksIn(alt).some((mark) => this.#isTag(mark))) return;
    this.#letter.ink('[');
    this.#text(alt.trim());
    this.#letter.ink(']');
  }

  /** Where a link leads stands behind its label, unless that says it. */
  #endLink(): void {
    const { href, place } = this.#link ?? { href: '', place: 0 };
    this.#link = undefined;
    if (href === '' || !this.#parsesAlone(href)) return;
    const label = this.#letter.since(place);
    const address = fixedText(decoded(href));
    if (!hasMark(href)) {
      if (!SHOWN_ADDRESS.test(address) || label === address || `mailto:${label}` === address) return;
      this.#letter.space();
      this.#letter.ink(label === '' ? address : `(${address})`);
      return;
    }
    if (label === address) return;
    const shown = `{% href %}${address}{% endhref %}`;
    const opening = label === '' ? '' : ' (';
    // What is written here begins with a space of its own.
    const hadSpace = this.#letter.takeSpace();
    this.#letter.tag(`{% linked %}${shown}${opening}${shown}${opening && ')'}{% endlinked %}`);
    if (hadSpace) this.#letter.space();
  }
}

/** One that stands for itself. */
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;
/** Characters that mean something to what reads the source. */
const CONTROLS = /[\p{Cc}]/gu;
const named = new Map<string, string>();
const MOST_NAMED = 3000;

/** What a text of HTML says. */
function decoded(source: string): string {
  const text = source.replaceAll(BRACE, '{');
  return text.includes('&') ? text.replace(ENTITY, entity) : text;
}

function entity(source: string): string {
  const simple = unescapeHtml(source);
  if (simple !== source) return simple.replace(CONTROLS, ' ');
  let character = named.get(source);
  if (character === undefined) {
    character = convert(source, { wordwrap: false });
    if (named.size < MOST_NAMED) named.set(source, character);
  }
  return character;
}
