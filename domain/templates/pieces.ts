import type { TagToken, TopLevelToken } from 'liquidjs';
import { BRACE } from './fixed-text.ts';
import { tokenizeLiquid } from './liquid.ts';

/** A source string is fixed text with Liquid between. `{% raw %}` is fixed text already. */
export type Piece = { readonly fixed: string; readonly liquid?: never } | { readonly liquid: string; readonly fixed?: never };

/** A piece, and where in the source it begins. */
export interface PlacedPiece {
  readonly piece: Piece;
  readonly begin: number;
}

/** Cuts a source string. A `capture` or `comment` is one piece with all that it holds. Throws LiquidFault. */
export function piecesOf(source: string): Piece[] {
  return placedPieces(source).map(({ piece }) => piece);
}

/** The same with the place of each. Throws LiquidFault. */
export function placedPieces(source: string): PlacedPiece[] {
  if (!source.includes('{')) return source === '' ? [] : [{ piece: { fixed: source }, begin: 0 }];
  const pieces: PlacedPiece[] = [];
  let closedBy: string | undefined;
  let begin = 0;
  for (const token of tokenizeLiquid(source)) {
    const name = (token as TagToken).name;
    if (closedBy) {
      if (name !== closedBy) continue;
      closedBy = undefined;
      pieces.push({ piece: { liquid: withoutTrim(source.slice(begin, token.end)) }, begin });
    } else if (name === 'capture' || name === 'comment') {
      closedBy = `end${name}`;
      begin = token.begin;
    } else if (name === 'raw' || name === 'endraw') {
    } else if (isFixed(token)) {
      const fixed = token.getContent();
      // White-space control may have taken some of its beginning.
      pieces.push({ piece: { fixed }, begin: token.begin + Math.max(0, source.slice(token.begin, token.end).indexOf(fixed)) });
    } else {
      pieces.push({ piece: { liquid: withoutTrim(token.getText()) }, begin: token.begin });
    }
  }
  return pieces;
}

function isFixed(token: TopLevelToken): token is TopLevelToken & { getContent(): string } {
  return 'getContent' in token;
}

/** White-space control has been applied to this string; it must not reach into what stands around it in the mail. */
function withoutTrim(liquid: string): string {
  return liquid.replace(/^(\{[{%])-/, '$1').replace(/-([%}]\})$/, '$1');
}

/** Joins pieces to Liquid source again, fixed text through `write`, which must leave no `{` that could open a tag. */
export function joinPieces(pieces: readonly Piece[], write: (fixed: string) => string): string {
  return pieces.map((piece) => piece.liquid ?? write(piece.fixed)).join('');
}

/** Fixed text in a plain-text source. */
export function fixedText(text: string): string {
  return text.replaceAll('{', BRACE);
}
