import type { Issue } from '../errors.ts';
import { MAX_URL_LENGTH } from '../text-lengths.ts';
import { type Content, contentPath } from './content.ts';
import { type ContentString, contentStrings } from './content-strings.ts';
import { LiquidFault, parseLiquid } from './liquid.ts';
import { liquidCharacters } from './liquid-size.ts';
import { type Inline, parseMarkdown } from './markdown.ts';
import { fixedText, joinPieces, type Piece, piecesOf } from './pieces.ts';
import { isOpenableUrl, isSafeUrlStart, isShownFile } from './safe-url.ts';

/** liquidjs takes time that grows with the square of their number; 5,000 are a few milliseconds. */
const MAX_TAGS = 5000;
/** Within tags and outputs; each character of it makes some hundred bytes once it is parsed. */
const MAX_LIQUID_KB = 64;
const TOO_MUCH_LIQUID = `at most ${MAX_LIQUID_KB} KB of Liquid in tags and outputs`;
const TOO_MANY_TAGS = `at most ${MAX_TAGS} Liquid tags and outputs`;

/** What a schema cannot see: Liquid that does not parse, with line and tag, and addresses that a mail must not hold. Passes over the paths in `known`. */
export function liquidIssues(content: Content, root: string, known: ReadonlySet<string>): Issue[] {
  const issues: Issue[] = [];
  const whole = contentPath(content, root);
  let tags = 0;
  let liquid = 0;
  for (const { path, source, role } of contentStrings(content, root)) {
    if (role === 'condition' || role === 'rows' || known.has(path)) continue;
    tags += tagsIn(source);
    liquid += liquidCharacters(source);
    if (liquid > MAX_LIQUID_KB * 1024) return [{ path: whole, message: TOO_MUCH_LIQUID }];
    if (tags > MAX_TAGS) return [{ path: whole, message: TOO_MANY_TAGS }];
    const message = liquidFault(source) ?? addressFault(source, role);
    if (message) issues.push({ path, message });
  }
  return issues;
}

function tagsIn(source: string): number {
  return source.split(/\{[{%]/).length - 1;
}

/** Why a source that is a whole part of a mail cannot be compiled; undefined when it can. */
export function partFault(source: string): string | undefined {
  return tagsIn(source) > MAX_TAGS ? TOO_MANY_TAGS : liquidFault(source);
}

/** Why a source does not parse, like `line 2, {{ name | shout }}: undefined filter: shout`; undefined when it does. */
export function liquidFault(source: string): string | undefined {
  if (!source.includes('{')) return undefined;
  if (liquidCharacters(source) > MAX_LIQUID_KB * 1024) return TOO_MUCH_LIQUID;
  try {
    parseLiquid(source, 'authored');
    return undefined;
  } catch (error) {
    if (error instanceof LiquidFault) return error.message;
    throw error;
  }
}

function addressFault(source: string, role: ContentString['role']): string | undefined {
  if (role === 'markdown') return linkFault(source);
  if (role === 'picture') return pictureFault(piecesOf(source));
  return role === 'url' ? urlFault(piecesOf(source)) : undefined;
}

/** That of a file of the mail may begin as one, too. */
function pictureFault(pieces: readonly Piece[]): string | undefined {
  const start = pieces[0]?.fixed ?? '';
  if (/^\s*cid:/i.test(start) && (pieces.length > 1 || isShownFile(start))) return undefined;
  return urlFault(pieces) === ONLY_SAFE ? `${ONLY_SAFE}, and cid: with the contentId of an attachment` : urlFault(pieces);
}

/** A fixed address must be whole; one with Liquid must begin safely, or wholly come from Liquid and be checked when it is rendered. */
function urlFault(pieces: readonly Piece[]): string | undefined {
  const fixed = pieces.map((piece) => piece.fixed ?? '').join('');
  if (fixed.length > MAX_URL_LENGTH) return `at most ${MAX_URL_LENGTH} characters`;
  const start = pieces[0]?.fixed ?? '';
  if (pieces.length === 1 && start) {
    if (isOpenableUrl(start)) return undefined;
    return isSafeUrlStart(start) ? 'not a valid address' : ONLY_SAFE;
  }
  return start.trim() === '' || isSafeUrlStart(start) ? undefined : ONLY_SAFE;
}
const ONLY_SAFE = 'only https, http and mailto';

function piecesIn(inlines: readonly Inline[]): Piece[] {
  return inlines.flatMap((inline) => (inline.kind === 'text' ? inline.pieces : inline.kind === 'break' ? [] : piecesIn(inline.children)));
}

/** A link is written as a whole or as its label alone, so a tag that opens in its address or label has to close there. */
function linkFault(source: string): string | undefined {
  const faultOf = (inline: Inline): string | undefined => {
    if (inline.kind === 'link') {
      const fault =
        urlFault(inline.url) ??
        liquidFault(joinPieces(inline.url, fixedText)) ??
        liquidFault(joinPieces(piecesIn(inline.children), fixedText));
      return fault && `link (${joinPieces(inline.url, (fixed) => fixed)}): ${fault}`;
    }
    return inline.kind === 'strong' || inline.kind === 'em' ? first(inline.children, faultOf) : undefined;
  };
  return first(parseMarkdown(source).flat(), faultOf);
}

function first<T, R>(values: readonly T[], of: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = of(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
