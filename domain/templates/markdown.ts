import { type Piece, piecesOf } from './pieces.ts';

/** Inline Markdown as a tree. Pieces keep their Liquid, so data can never make markup. */
export type Inline =
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'strong' | 'em'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: readonly Piece[]; readonly children: readonly Inline[] }
  | { readonly kind: 'break' };

/** What stands for a Liquid piece while Markdown is read; content has no such characters of its own. */
const OPEN = '\u0001';
const CLOSE = '\u0002';
const MASK = new RegExp(`${OPEN}(\\d+)${CLOSE}`);
/** Bold, italic and a link within each other; marks further inside are text. */
const MAX_DEPTH = 3;
/** An address may hold parentheses in pairs, not within each other. */
const LINK = /\[([^[\]]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/y;
const STRONG = /\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/y;
const EM_STAR = /\*(?=[^\s*])([^*]*[^\s*])\*/y;
const EM_UNDERSCORE = /_(?=[^\s_])([^_]*[^\s_])_(?!\w)/y;
const ESCAPED = /\\([\\*_[\]()])/y;

/**
 * Reads bold, italic, links and line breaks; an empty line begins a new paragraph. Everything else is text, HTML too.
 * Throws LiquidFault.
 */
export function parseMarkdown(source: string): Inline[][] {
  const liquid: Piece[] = [];
  const masked = piecesOf(source)
    .map((piece) => (piece.liquid === undefined ? piece.fixed : `${OPEN}${liquid.push(piece) - 1}${CLOSE}`))
    .join('');
  return masked
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n[ \t]*\n\s*/)
    .map((paragraph) => new InlineReader(liquid, 0).read(paragraph));
}

class InlineReader {
  readonly #liquid: readonly Piece[];
  readonly #depth: number;
  /** Once no closing mark follows, none follows later either: remembered, so that reading stays linear. */
  readonly #unclosed = new Set<RegExp>();

  constructor(liquid: readonly Piece[], depth: number) {
    this.#liquid = liquid;
    this.#depth = depth;
  }

  read(text: string): Inline[] {
    const found: Inline[] = [];
    let plain = '';
    const flush = (): void => {
      if (plain) found.push({ kind: 'text', pieces: this.#unmask(plain) });
      plain = '';
    };
    for (let at = 0; at < text.length; ) {
      const escaped = match(ESCAPED, text, at);
      const markup = escaped ? undefined : this.#markupAt(text, at);
      if (markup) {
        flush();
        found.push(markup.inline);
      } else {
        plain += escaped?.[1] ?? text[at];
      }
      at += escaped?.[0].length ?? markup?.length ?? 1;
    }
    flush();
    return found;
  }

  #markupAt(text: string, at: number): { readonly inline: Inline; readonly length: number } | undefined {
    const char = text[at];
    if (char === '\n') return { inline: { kind: 'break' }, length: 1 };
    if (this.#depth === MAX_DEPTH) return undefined;
    if (char === '[') {
      const link = match(LINK, text, at);
      return link && { inline: { kind: 'link', children: this.#inside(link[1]!), url: this.#unmask(link[2]!) }, length: link[0].length };
    }
    if (char === '*') {
      const strong = this.#closed(STRONG, text, at);
      if (strong) return { inline: { kind: 'strong', children: this.#inside(strong[1]!) }, length: strong[0].length };
    }
    const isMark = char === '*' || (char === '_' && !/\w/.test(text[at - 1] ?? ' '));
    const em = isMark ? this.#closed(char === '*' ? EM_STAR : EM_UNDERSCORE, text, at) : undefined;
    return em && { inline: { kind: 'em', children: this.#inside(em[1]!) }, length: em[0].length };
  }

  #inside(text: string): Inline[] {
    return new InlineReader(this.#liquid, this.#depth + 1).read(text);
  }

  #closed(mark: RegExp, text: string, at: number): RegExpExecArray | undefined {
    if (this.#unclosed.has(mark)) return undefined;
    const found = match(mark, text, at);
    if (!found && mark === STRONG && /\*\*\S/y.test(text.slice(at, at + 3))) this.#unclosed.add(mark);
    return found;
  }

  #unmask(text: string): Piece[] {
    return text
      .split(MASK)
      .flatMap((part, index): Piece[] => (index % 2 === 1 ? [this.#liquid[Number(part)]!] : part ? [{ fixed: part }] : []));
  }
}

function match(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}
