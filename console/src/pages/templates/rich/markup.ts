/** What a piece of a text has around it. */
export interface Marks {
  readonly bold?: boolean;
  readonly italic?: boolean;
  /** Where it leads. */
  readonly link?: string;
}

/** A piece of a paragraph: words, Liquid that stands for one thing, or a new line. */
export type Part = { readonly marks: Marks } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'liquid'; readonly source: string }
  | { readonly kind: 'break' }
);

export interface Paragraph {
  readonly parts: readonly Part[];
  /** The markup that it was read from. */
  readonly source?: string;
  /** What stood between it and the one above. */
  readonly before?: string;
}

/** The markup of a text block, read. */
export interface Markup {
  readonly paragraphs: readonly Paragraph[];
  /** White space around all of it. */
  readonly head: string;
  readonly tail: string;
}

const OPEN = '\u0001';
const CLOSE = '\u0002';
const MASK = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');
const MASKED = new RegExp(`(${OPEN}\\d+${CLOSE})`);
const OUTPUT = /\{\{(?:"[^"]*"|'[^']*'|[^"'}]|\}(?!\}))*\}\}/;
const TAG = /\{%(?:"[^"]*"|'[^']*'|[^"'%]|%(?!\}))*%\}/;
/** Of these, all that they hold is one thing. */
const WHOLE = /\{%-?\s*(comment|capture)\b[\s\S]*?\{%-?\s*end\1\s*-?%\}/;
/** Liquid as it stands in a text. */
export const LIQUID = new RegExp([WHOLE, OUTPUT, TAG].map(({ source }) => source).join('|'), 'g');

const SEPARATOR = /(\n[ \t]*\n\s*)/;
/** The same as it is written, whatever ends the lines. */
export const WRITTEN_SEPARATOR = /((?:\r\n|\r(?!\n)|\n)[ \t]*(?:\r\n|\r(?!\n)|\n)\s*)/;
const LINK = /\[([^[\]]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/y;
const STRONG = /\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/y;
const EM_STAR = /\*(?=[^\s*])([^*]*[^\s*])\*/y;
const EM_UNDERSCORE = /_(?=[^\s_])([^_]*[^\s_])_(?!\w)/y;
const ESCAPED = /\\([\\*_[\]()])/y;
const MAX_DEPTH = 3;

/** Reads the inline Markdown of a text block as mails do. Liquid that does not close is text. */
export function readMarkup(source: string): Markup {
  const { masked, unmask } = mask(source);
  const trimmed = masked.trim();
  const start = masked.indexOf(trimmed);
  const pieces = trimmed.replace(/\r\n?/g, '\n').split(SEPARATOR);
  const written = trimmed.split(WRITTEN_SEPARATOR);
  const paragraphs = pieces.flatMap((piece, index): Paragraph[] => {
    if (index % 2 === 1) return [];
    const before = written[index - 1];
    return [
      {
        parts: normal(readInline(piece, unmask, {}, 0)),
        source: unmask(written[index] ?? piece),
        ...(before === undefined ? {} : { before }),
      },
    ];
  });
  return { paragraphs, head: masked.slice(0, start), tail: masked.slice(start + trimmed.length) };
}

/** What stands for Liquid while Markdown is read: marks within it are none. */
function mask(source: string): { readonly masked: string; readonly unmask: (text: string) => string } {
  const liquid: string[] = [];
  const masked = source.replace(LIQUID, (found) => `${OPEN}${liquid.push(found) - 1}${CLOSE}`);
  return { masked, unmask: (text) => text.replaceAll(MASK, (_, index: string) => liquid[Number(index)] ?? '') };
}

function readInline(text: string, unmask: (text: string) => string, marks: Marks, depth: number): Part[] {
  const found: Part[] = [];
  let plain = '';
  const flush = (): void => {
    for (const piece of plain.split(MASKED)) {
      if (piece.startsWith(OPEN)) found.push({ kind: 'liquid', source: unmask(piece), marks });
      else if (piece) found.push({ kind: 'text', text: piece, marks });
    }
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const escaped = match(ESCAPED, text, at);
    const marked = escaped || text[at] === '\n' ? undefined : markedAt(text, at, depth);
    if (marked) {
      flush();
      const more = marked.link === undefined ? marked.marks : { link: unmask(marked.link) };
      found.push(...readInline(marked.inside, unmask, { ...marks, ...more }, depth + 1));
    } else if (!escaped && text[at] === '\n') {
      flush();
      found.push({ kind: 'break', marks });
    } else plain += escaped?.[1] ?? text[at];
    at += escaped?.[0].length ?? marked?.length ?? 1;
  }
  flush();
  return found;
}

interface Marked {
  readonly inside: string;
  readonly length: number;
  readonly marks?: Marks;
  readonly link?: string;
}

function markedAt(text: string, at: number, depth: number): Marked | undefined {
  const char = text[at];
  if (depth === MAX_DEPTH) return undefined;
  if (char === '[') {
    const link = match(LINK, text, at);
    return link && { inside: link[1] as string, link: link[2] as string, length: link[0].length };
  }
  const strong = char === '*' ? match(STRONG, text, at) : undefined;
  if (strong) return { inside: strong[1] as string, length: strong[0].length, marks: { bold: true } };
  const isMark = char === '*' || (char === '_' && !/\w/.test(text[at - 1] ?? ' '));
  const em = isMark ? match(char === '*' ? EM_STAR : EM_UNDERSCORE, text, at) : undefined;
  return em && { inside: em[1] as string, length: em[0].length, marks: { italic: true } };
}

function match(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

/** One thing of a paragraph: a character, Liquid, or a new line. */
type Atom = { readonly source: string; readonly kind: Part['kind']; readonly marks: Marks };

/** The same parts in the one form that has no marks at spaces beside their words, and Liquid in one piece. */
export function normal(parts: readonly Part[]): Part[] {
  const atoms = unmarkedEdges(parts.flatMap(atomsOf));
  const merged: Part[] = [];
  for (const { kind, source, marks } of atoms) {
    const last = merged.at(-1);
    if (kind === 'break') merged.push({ kind, marks });
    else if (kind === 'liquid') merged.push({ kind, source, marks });
    else if (last?.kind === 'text' && isSame(last.marks, marks)) merged[merged.length - 1] = { ...last, text: last.text + source };
    else merged.push({ kind: 'text', text: source, marks });
  }
  return merged;
}

function atomsOf(part: Part): Atom[] {
  const { kind } = part;
  const marks = cleanMarks(part.marks);
  if (kind === 'break') return [{ kind, source: '\n', marks }];
  if (kind === 'liquid') return [{ kind, source: part.source, marks }];
  const { masked, unmask } = mask(part.text.replace(/[\r\n]+/g, ' '));
  return masked.split(MASKED).flatMap((piece): Atom[] => {
    if (piece.startsWith(OPEN)) return [{ kind: 'liquid', source: unmask(piece), marks }];
    // The label of a link holds no brackets.
    const text = marks.link ? piece.replaceAll('[', '(').replaceAll(']', ')') : piece;
    return [...text].map((source) => ({ kind, source, marks }));
  });
}

function cleanMarks({ bold, italic, link }: Marks): Marks {
  return { ...(bold && { bold }), ...(italic && { italic }), ...(link && { link: heldAddress(link) }) };
}

/** An address that a link of the markup can hold. */
export function heldAddress(address: string): string {
  const { masked, unmask } = mask(address.trim());
  const isHeld = /^(?:[^()\s]|\([^()\s]*\))+$/.test(masked);
  return unmask(isHeld ? masked : masked.replace(/[()\s]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`));
}

const NAMES = ['bold', 'italic', 'link'] as const;

function unmarkedEdges(atoms: readonly Atom[]): readonly Atom[] {
  let found = [...atoms];
  for (const name of NAMES) {
    const goesOn = (left: Atom | undefined, right: Atom): boolean => left !== undefined && left.marks[name] === right.marks[name];
    const isSpace = ({ kind, source }: Atom): boolean => kind !== 'liquid' && source.trim() === '';
    const clear = (at: number): void => {
      const { [name]: _, ...marks } = (found[at] as Atom).marks;
      found = found.with(at, { ...(found[at] as Atom), marks });
    };
    const isEdge = (at: number, beside: number): boolean =>
      Boolean(found[at]?.marks[name]) && isSpace(found[at] as Atom) && !goesOn(found[beside], found[at] as Atom);
    for (let at = 0; at < found.length; at++) if (isEdge(at, at - 1)) clear(at);
    for (let at = found.length - 1; at >= 0; at--) if (isEdge(at, at + 1)) clear(at);
  }
  return found;
}

function isSame(left: Marks, right: Marks): boolean {
  return NAMES.every((name) => left[name] === right[name]);
}
