import { escapeFixed } from './escape.ts';
import type { Inline } from './markdown.ts';
import { fixedText, joinPieces, type Piece, piecesOf } from './pieces.ts';
import { safeImageUrl } from './safe-url.ts';
import { THEME } from './theme.ts';

/** Text with Liquid as escaped HTML; a line break stays one. */
export function inline(source: string): string {
  return joinPieces(piecesOf(source), (fixed) => escapeFixed(fixed).replaceAll('\n', '<br>'));
}

/** The same inside an attribute. */
export function attribute(source: string): string {
  return escaped(piecesOf(source));
}

function escaped(pieces: readonly Piece[]): string {
  return joinPieces(pieces, escapeFixed);
}

/** The address of a picture: checked here when it is fixed, and by the picture tag after rendering when Liquid has a part in it. */
export function picture(source: string): string {
  const pieces = piecesOf(source);
  if (pieces.every((piece) => piece.liquid === undefined)) return escaped([{ fixed: safeImageUrl(joinPieces(pieces, (fixed) => fixed)) }]);
  return `{% picture %}${joinPieces(pieces, fixedText)}{% endpicture %}`;
}

/** The address of a link. Also a fixed one is marked, since where it leads is another in each mail whose clicks are counted. */
export function link(source: string | readonly Piece[]): string {
  const pieces = typeof source === 'string' ? piecesOf(source) : source;
  return `{% link %}${joinPieces(pieces, fixedText)}{% endlink %}`;
}

/** Whether an address could come out empty: when Liquid has a part in it. */
export function mayBeNone(url: string): boolean {
  return /\{(?!% (?:end)?link %\})[{%]/.test(url);
}

/** HTML with an address, or what stands in its place when its Liquid comes out as none. */
export function linked(url: string, html: (url: string) => string, otherwise: string): string {
  return mayBeNone(url) ? `{% linked %}${url}${html(url)}{% unlinked %}${otherwise}{% endlinked %}` : html(url);
}

/** Pixels between the paragraphs of one text. */
const BETWEEN_PARAGRAPHS = 14;

interface Paragraphs {
  /** Pixels above the first. */
  readonly above?: number;
  /** Of links, as CSS has it. */
  readonly linkColor?: string;
}

/** The paragraphs of a text. */
export function paragraphs(texts: readonly (readonly Inline[])[], { above = 0, linkColor = THEME.link }: Paragraphs = {}): string {
  return texts
    .map((text, index) => {
      const distance = index > 0 ? BETWEEN_PARAGRAPHS : above;
      return `<p style="margin:${distance ? `${distance}px 0 0` : '0'}">${text.map((part) => inlineHtml(part, linkColor)).join('')}</p>`;
    })
    .join('\n');
}

function inlineHtml(part: Inline, linkColor: string): string {
  const inside = (parts: readonly Inline[]): string => parts.map((one) => inlineHtml(one, linkColor)).join('');
  switch (part.kind) {
    case 'text':
      return escaped(part.pieces);
    case 'break':
      return '<br>';
    case 'strong':
    case 'em':
      return `<${part.kind}>${inside(part.children)}</${part.kind}>`;
    case 'link': {
      const label = inside(part.children);
      return linked(
        link(part.url),
        (url) => `<a href="${url}" target="_blank" style="color:${linkColor};text-decoration:underline;">${label}</a>`,
        label,
      );
    }
    default:
      return part satisfies never;
  }
}
