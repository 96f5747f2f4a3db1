import type { Issue } from '../errors.ts';
import { COMPILED_FORMAT, type CompiledContent } from './compiled-content.ts';
import { partFault } from './content-liquid.ts';
import { escapeFixed } from './escape.ts';
import { attributeIn, htmlTokens } from './html-tokens.ts';
import { type LanguageWords, languageWords } from './language-words.ts';
import { asMaybeLeaving } from './leaving.ts';
import { LiquidFault, parseLiquid } from './liquid.ts';
import { hasMark, type MarkedSource, markLiquid } from './marked-source.ts';
import type { OwnContent } from './own-content.ts';
import { textOfPage } from './page-text.ts';
import { fixedText, joinPieces, type Piece, piecesOf } from './pieces.ts';
import { writtenBy } from './used-variables.ts';

/** Each is a tag of Liquid in what is compiled, and parsing takes time that grows with the square of their number. */
export const MAX_LINKS = 1000;

/** Characters of what is wrong. */
const MAX_SHOWN = 60;
const WEB = /^\s*https?:/i;
const ADDRESS = '{% url %}{{ unsubscribeUrl }}{% endurl %}';
/** Beneath the body of a marketing mail that has no link to unsubscribe of its own. */
const unsubscribeHtml = ({ unsubscribe }: LanguageWords): string =>
  '{% unsubscribe %}<div style="padding:16px;text-align:center;font-family:Arial,sans-serif;font-size:13px">{{ brand.name }}' +
  '{% shown brand.address %}<br><span style="white-space:pre-line">{{ brand.address }}</span>{% endshown %}' +
  `<br><a href="${ADDRESS}">${unsubscribe}</a></div>{% endunsubscribe %}`;
const unsubscribeText = ({ unsubscribe }: LanguageWords): string =>
  '{% unsubscribe %}\n\n-- \n{{ brand.name }}{% shown brand.address %}\n{{ brand.address }}{% endshown %}' +
  `\n${unsubscribe}: ${ADDRESS}\n{% endunsubscribe %}`;

/**
 * Compiles what a call gave in place of a template. The HTML stays as it is, but for where counted links lead; a part that is missing is made of the
 * other one. `words`: of the language that it is in.
 */
export function compileOwn(
  { html, text, isLiteral = false }: OwnContent,
  words: LanguageWords = languageWords(undefined),
):
  | {
      readonly compiled: CompiledContent;
    }
  | { readonly issues: readonly Issue[] } {
  const cut = isLiteral ? asFixed : piecesOf;
  const issues: Issue[] = [];
  const given = [
    ['html', html],
    ['text', text],
  ] as const;
  for (const [path, source] of given) {
    const message = source === undefined || isLiteral ? undefined : partFault(source);
    if (message !== undefined) issues.push({ path, message });
  }
  if (issues.length > 0) return { issues };
  const source = html === undefined ? undefined : withPlainBreaks(html);
  const page = source === undefined ? undefined : markLiquid(source, cut(source));
  const letter = text === undefined ? undefined : cut(withPlainBreaks(text));
  const counted = page && withCountedLinks(page);
  const fault = counted && pageFault(counted);
  if (fault !== undefined) return { issues: [{ path: 'html', message: fault }] };
  const writes = isLiteral ? [] : [...new Set(given.flatMap(([, part = '']) => writtenBy(part)))];
  return {
    compiled: {
      format: COMPILED_FORMAT,
      html: page && counted ? pageSource(page, counted.html, words) : pageOfText(letter ?? [], words),
      text: textSource(letter === undefined ? textOf(page as MarkedSource) : letterSource(letter), words),
      writes,
    },
  };
}

/** All of it, whatever it has of Liquid. */
function asFixed(source: string): readonly Piece[] {
  return source === '' ? [] : [{ fixed: source }];
}

function withPlainBreaks(source: string): string {
  return source.replace(/\r\n?/g, '\n');
}

interface CountedPage {
  /** With every link that may be counted marked as one. */
  readonly html: string;
  readonly links: number;
  /** How what never ends begins, if anything does not. */
  readonly unfinished: string | undefined;
}

function withCountedLinks(page: MarkedSource): CountedPage {
  let html = '';
  let links = 0;
  let unfinished: string | undefined;
  for (const token of htmlTokens(page.text)) {
    const { source } = token;
    if (token.kind === 'unfinished') unfinished = page.expand(source).slice(0, MAX_SHOWN);
    const at = token.kind === 'open' && (token.name === 'a' || token.name === 'area') ? attributeIn(source, 'href') : undefined;
    const href = at && source.slice(at.start, at.end);
    if (!at || href === undefined || !(hasMark(href) ? parsesAlone(page, href) : WEB.test(href))) {
      html += source;
      continue;
    }
    links++;
    html += `${source.slice(0, at.start)}{% href %}${href}{% endhref %}${source.slice(at.end)}`;
  }
  return { html, links, unfinished };
}

/** What is added to a page would be lost in what never ends. */
function pageFault({ links, unfinished }: CountedPage): string | undefined {
  if (links > MAX_LINKS) return `at most ${MAX_LINKS} links`;
  return unfinished === undefined ? undefined : `a comment, a tag or an element of plain text never ends: ${unfinished}`;
}

/** A tag that opens in an address and closes elsewhere cannot be held by another. */
function parsesAlone({ expand }: MarkedSource, part: string): boolean {
  if (!hasMark(part)) return true;
  try {
    parseLiquid(expand(part), 'html');
    return true;
  } catch (error) {
    if (error instanceof LiquidFault) return false;
    throw error;
  }
}

/** What is added stands at the end of the body, where that is always reached: not within a condition or a loop of the author. */
function pageSource(page: MarkedSource, html: string, words: LanguageWords): string {
  const at = endOfBody(html);
  const ends = at !== undefined && parsesAlone(page, html.slice(0, at)) && parsesAlone(page, html.slice(at)) ? at : html.length;
  return page.expand(`{% content %}${html.slice(0, ends)}{% endcontent %}${unsubscribeHtml(words)}{% pixel %}${html.slice(ends)}`);
}

function endOfBody(html: string): number | undefined {
  let at = 0;
  let end: number | undefined;
  for (const token of htmlTokens(html)) {
    if (token.kind === 'close' && token.name === 'body') end = at;
    at += token.source.length;
  }
  return end;
}

/** The HTML part of a text: its lines as they are. It always ends with a link to unsubscribe, since in a text nothing is one. */
function pageOfText(text: readonly Piece[], words: LanguageWords): string {
  const lines = joinPieces(text, (fixed) => escapeFixed(fixed).replaceAll('\n', '<br>'));
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>{{ subject }}</title><meta name="viewport" content="width=device-width,initial-scale=1"></head><body>
<div style="white-space:pre-wrap">{% content %}${lines}{% endcontent %}</div>${unsubscribeHtml(words)}{% pixel %}</body></html>
`;
}

function textOf(page: MarkedSource): string {
  return page.expand(textOfPage(page, (part) => parsesAlone(page, part)));
}

/** A text that the call gave. */
function letterSource(text: readonly Piece[]): string {
  return text.map(({ fixed, liquid }) => (fixed === undefined ? asMaybeLeaving(liquid ?? '') : fixedText(fixed))).join('');
}

function textSource(text: string, words: LanguageWords): string {
  return `{% content %}${text}{% endcontent %}${unsubscribeText(words)}`;
}
