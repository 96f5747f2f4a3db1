import { FileFailure } from '../failure.ts';
import { isEqual, type Json, type JsonObject } from './canonical.ts';
import { pathText, type Source } from './places.ts';
import { parseYaml, readYamlObject, yamlSpots, yamlText } from './yaml-text.ts';

/** Content as blocks, as the API has them. */
export interface BlockContent {
  readonly preheader?: string;
  readonly blocks: readonly JsonObject[];
}

/** Content as its file holds it. */
export type Content = BlockContent | { readonly mjml: string };

/** Between two blocks of text, which would be one without it. */
const BETWEEN = '<!-- next block -->';
const FENCE = '```';

/**
 * Content as Markdown: headings, paragraphs, lists, quotes and lines across as everybody writes them, every other block as YAML in a fence
 * that says `block`. What Markdown would not say exactly is in a fence too, so that reading gives the very blocks that were written.
 */
export function markdownOf({ preheader, blocks }: BlockContent): string {
  const head = preheader === undefined ? '' : `---\n${yamlText({ preheader })}---\n\n`;
  const written: string[] = [];
  for (const [at, block] of blocks.entries()) {
    const text = plainMarkdown(block);
    const opensHead = head === '' && at === 0 && text?.startsWith('---');
    const follows = at > 0 && needsBetween(blocks[at - 1] as JsonObject, block);
    if (text !== undefined && !text.includes('\r') && !opensHead && isRead(text, block))
      written.push(follows ? `${BETWEEN}\n\n${text}` : text);
    else written.push(fenced(block));
  }
  return `${head}${written.join('\n\n')}\n`;
}

/** Whether reading the text gives this block and nothing else. */
function isRead(text: string, block: JsonObject): boolean {
  try {
    return isEqual(
      blocksOf(text, '').map(({ value }) => value),
      [block],
    );
  } catch {
    return false;
  }
}

function needsBetween(before: JsonObject, block: JsonObject): boolean {
  return before.type === block.type && (block.type === 'text' || block.type === 'list' || block.type === 'quote');
}

function fenced(block: JsonObject): string {
  const yaml = yamlText(block);
  // A fence inside the text of a block must not end it.
  const longest = Math.max(2, ...[...yaml.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}block\n${yaml}${fence}`;
}

/** As Markdown where a block of this kind has such a form; whether it says the same is for the reader to tell. */
function plainMarkdown(block: JsonObject): string | undefined {
  const { type, text, level = 1, items, ordered = false } = block;
  if (type === 'heading' && typeof text === 'string') return `${'#'.repeat(Number(level) || 1)} ${text}`;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'quote' && typeof text === 'string') return text.replace(/^/gm, '> ');
  if (type === 'divider') return '---';
  if (type === 'list' && Array.isArray(items)) return items.map((item, at) => `${ordered ? `${at + 1}.` : '-'} ${item}`).join('\n');
  return undefined;
}

/** Content that was written as Markdown. `file` names it in what is wrong. */
export function contentOfMarkdown(markdown: string, file: string): BlockContent {
  const { head, body, bodyLine } = partsOfMarkdown(markdown);
  const { value, wrong } = readYamlObject(head, file, HEAD_LINE);
  const { preheader, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong([unknown], `${unknown} is no field of the head; preheader is`);
  if (preheader !== undefined && preheader !== null && typeof preheader !== 'string')
    throw wrong(['preheader'], 'preheader should be a text');
  const blocks = blocksOf(body, file, bodyLine).map((block) => block.value);
  return { ...(typeof preheader === 'string' ? { preheader } : {}), blocks };
}

/** Where the parts of content in Markdown stand in its file. */
export function markdownSpots(markdown: string): Source['spotOf'] {
  const { head, body, bodyLine } = partsOfMarkdown(markdown);
  const inHead = yamlSpots(head, HEAD_LINE);
  const blocks = blocksOf(body, '', bodyLine);
  return (path, within) => {
    const [first, index, ...inside] = path;
    if (first !== 'blocks') return inHead(path, within);
    const block = blocks[Number(index)];
    if (!block) return { line: undefined, isWithin: false, name: pathText(path) };
    if (block.yaml !== undefined) {
      const spot = yamlSpots(block.yaml, block.lines[0])(inside, within);
      return { ...spot, line: spot.line ?? block.lines[0] };
    }
    const at = typeof inside[1] === 'number' ? inside[1] : 0;
    return { line: block.lines[at + (within ?? 1) - 1] ?? block.lines[0], isWithin: within !== undefined, name: '' };
  };
}

/** Its head begins behind the first line. */
const HEAD_LINE = 2;

/** The YAML between the first two lines across, what follows it, and the line where that begins. */
function partsOfMarkdown(markdown: string): { readonly head: string; readonly body: string; readonly bodyLine: number } {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  // Line by line: a pattern would take other separators for ends of lines, too.
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const head = lines.slice(1, Math.max(1, end)).map((line) => `${line}\n`);
  return { head: head.join(''), body: lines.slice(end + 1).join('\n'), bodyLine: end + 2 };
}

/** A block as it was written. */
interface WrittenBlock {
  readonly value: JsonObject;
  /** The line of the file that each line of its text is, or of a fence the first one within. */
  readonly lines: readonly number[];
  /** What is in its fence, if it has one. */
  readonly yaml?: string;
}

function blocksOf(markdown: string, file: string, firstLine = 1): WrittenBlock[] {
  const blocks: WrittenBlock[] = [];
  let paragraphs: { readonly text: string; readonly lines: readonly number[] }[] = [];
  const endText = (): void => {
    const value = { type: 'text', text: paragraphs.map(({ text }) => withStars(text)).join('\n\n') };
    // Between two paragraphs the text has one empty line, however many the file has.
    if (paragraphs.length > 0) blocks.push({ value, lines: paragraphs.flatMap(({ lines }) => [...lines, (lines.at(-1) ?? 0) + 1]) });
    paragraphs = [];
  };
  for (const piece of piecesOf(markdown, file, firstLine)) {
    if ('yaml' in piece) {
      endText();
      blocks.push({ value: blockOfFence(piece.yaml, file, piece.line), lines: [piece.line], yaml: piece.yaml });
      continue;
    }
    const lines = piece.text.split('\n').map((_, at) => piece.line + at);
    const value = blockOf(piece.text);
    if (value === undefined && piece.text !== BETWEEN) {
      paragraphs.push({ text: piece.text, lines });
      continue;
    }
    endText();
    if (value) blocks.push({ value, lines });
  }
  endText();
  return blocks;
}

/** `line`: the first one of it in the file. */
type Piece = ({ readonly text: string } | { readonly yaml: string }) & { readonly line: number };

/** Between empty lines, each fence as one. */
function piecesOf(markdown: string, file: string, firstLine: number): Piece[] {
  const pieces: Piece[] = [];
  let text: string[] = [];
  let fence: { readonly mark: string; readonly lines: string[]; readonly line: number } | undefined;
  let at = firstLine - 1;
  const end = (): void => {
    if (text.length > 0) pieces.push({ text: text.join('\n'), line: at - text.length });
    text = [];
  };
  for (const line of markdown.split('\n')) {
    at++;
    const opened = /^(`{3,})block\s*$/.exec(line);
    if (fence) {
      if (line.trimEnd() === fence.mark) {
        pieces.push({ yaml: fence.lines.map((one) => `${one}\n`).join(''), line: fence.line + 1 });
        fence = undefined;
      } else fence.lines.push(line);
    } else if (opened) {
      end();
      fence = { mark: opened[1] ?? FENCE, lines: [], line: at };
    } else if (line.trim() === '') end();
    else text.push(line);
  }
  if (fence) throw new FileFailure(file, fence.line, `a block that begins with ${fence.mark}block has no end`);
  at++;
  end();
  return pieces;
}

const ACROSS = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
/** Liquid, an escaped character and an address, where underscores are what they are, or bold by two of them. */
const UNDERSCORED = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\\.|\]\([^)]*\)|\bhttps?:\S+|(?<!\w)__(?=[^\s_])([^*]*?[^\s_*])__(?!\w)/g;

/** Bold as an email has it. */
function withStars(text: string): string {
  return text.replace(UNDERSCORED, (found, bold?: string) => (bold === undefined ? found : `**${bold}**`));
}

/** Undefined: it is a paragraph. */
function blockOf(text: string): JsonObject | undefined {
  const heading = /^(#{1,3}) (\S.*)$/.exec(text);
  if (heading) return { type: 'heading', ...(heading[1] === '#' ? {} : { level: heading[1]?.length ?? 1 }), text: heading[2] ?? '' };
  if (ACROSS.test(text)) return { type: 'divider' };
  const lines = text.split('\n');
  const points = lines.map((line) => /^[-*] (.*)$/.exec(line)?.[1]);
  if (points.every((item) => item !== undefined)) return { type: 'list', items: points as string[] };
  const numbered = lines.map((line) => /^\d+\. (.*)$/.exec(line)?.[1]);
  if (numbered.every((item) => item !== undefined)) return { type: 'list', ordered: true, items: numbered as string[] };
  const quoted = lines.map((line) => /^> ?(.*)$/.exec(line)?.[1]);
  if (quoted.every((line) => line !== undefined)) return { type: 'quote', text: quoted.join('\n') };
  return undefined;
}

function blockOfFence(yaml: string, file: string, line: number): JsonObject {
  const block: unknown = parseYaml(yaml, file, line);
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    throw new FileFailure(file, line, 'a fenced block should be an object with a type');
  return block as { readonly [name: string]: Json };
}

/** What Markdown has elsewhere and no block of an email: it goes out as the characters that it is written with. */
const NOT_CARRIED: readonly (readonly [what: string, hint: string, pattern: RegExp])[] = [
  ['a table', 'write a list', /^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*$/],
  ['an image', 'write a block of type image', /!\[[^\]]*\]\([^)]*\)/],
  ['a footnote', 'write it into the text', /\[\^[^\]\s]+\]/],
  ['HTML', 'write a block, or the content in MJML', /<\/?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?\/?>|<!--/],
  ['code in a fence', 'write a block of type code', /^\s*(?:`{3,}|~{3,})/],
  ['code in a line', 'leave the backticks out, or write a block of type code', /(?<!`)(`+)(?!`)[^\n]*?[^`]\1(?!`)/],
  ['a heading below level 3', 'use #, ## or ###', /^#{4,} /],
  ['text that is struck through', 'leave it out', /~~\S(?:[^~]*\S)?~~/],
  ['an address in angle brackets', 'write [words](address)', /<(?:(?:https?|mailto|tel):[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/],
  ['a link by reference', 'write [words](address)', /(?<![\w\]])\[[^[\]]+\]\[[^[\]]*\]|^\[[^[\]^]+\]:\s+<?(?:https?:|mailto:|\/|#)\S/],
  ['a task list', 'leave the brackets out', /^\s*(?:[-*+]|\d+[.)]) \[[ xX]\] /],
  ['bold by underscores around other marks', 'write **', /(?<!\w)__(?=[^\s_])(?=[^_]*\*)[^\n]*?[^\s_]__(?!\w)/],
];
/** Bold, italics and links. */
const MARKS =
  /\*\*(?=\S)[^\n]*?\S\*\*|(?<!\w)__(?=[^\s_])[^\n]*?[^\s_]__(?!\w)|(?<![\w*])\*(?=[^\s*])[^*]*[^\s*]\*(?![\w*])|(?<!\w)_(?=[^\s_])[^_]*[^\s_]_(?!\w)|\[[^[\]]+\]\([^()\s]+\)/;
const HEADING_OR_LIST = /^(?:#{1,3} \S|[-*] |1\. )/;
const ITEM = /^(?:[-*+]|\d+[.)]) /;
const INDENTED_ITEM = /^\s+(?:[-*+]|\d+[.)]) \S/;

/** A line that goes out as text though it looks as if it were more. */
interface Doubt {
  readonly line: number;
  readonly message: string;
}

/** The lines of content in Markdown that go out as text though they look as if they were more. */
export function markdownDoubts(markdown: string): Doubt[] {
  const { body, bodyLine } = partsOfMarkdown(markdown);
  let pieces: Piece[];
  try {
    pieces = piecesOf(body, '', bodyLine);
  } catch {
    // What cannot be read is refused, with its place.
    return [];
  }
  const isList = (piece: Piece | undefined): boolean => piece !== undefined && 'text' in piece && ITEM.test(piece.text);
  return pieces.flatMap((piece, at) =>
    'text' in piece && piece.text !== BETWEEN ? doubtsOf(piece.text, piece.line, isList(pieces[at - 1])) : [],
  );
}

function doubtsOf(text: string, firstLine: number, isAfterList: boolean): Doubt[] {
  // Markup in what Liquid puts in is data.
  const lines = text.replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, (liquid) => liquid.replace(/[^\n]/g, '\u0001')).split('\n');
  const block = blockOf(text);
  return lines.flatMap((line, at) => {
    const found = NOT_CARRIED.find(([, , pattern]) => pattern.test(line));
    const message = found ? asText(found[0], found[1]) : block ? doubtOfBlock(block, line) : doubtOfParagraph(lines, at, isAfterList);
    return message === undefined ? [] : [{ line: firstLine + at, message }];
  });
}

function asText(what: string, hint: string): string {
  return `${what} goes out as text: no Markdown of an email has it; ${hint}`;
}

function doubtOfBlock({ type }: JsonObject, line: string): string | undefined {
  if (type === 'divider' || !MARKS.test(line)) return undefined;
  return `bold, italics or a link in a ${type} goes out as text: only paragraphs have them`;
}

function doubtOfParagraph(lines: readonly string[], at: number, isAfterList: boolean): string | undefined {
  const [line = '', before = ''] = [lines[at], lines[at - 1]];
  const isInList = isAfterList || lines.slice(0, at).some((one) => ITEM.test(one));
  if (INDENTED_ITEM.test(line))
    return isInList
      ? 'a list within a list goes out as text, with the lines around it: no Markdown of an email has it; write one list'
      : 'a list that is indented goes out as text: begin it at the start of the line';
  if (at > 0 && /^(?:={2,}|-{2,})\s*$/.test(line))
    return 'a line under a heading goes out as text: begin the heading with # or ##; a line across needs an empty line before it';
  if (at > 0 && ACROSS.test(line)) return 'a line across goes out as text: it needs an empty line before and after it';
  if (/^\s+\S/.test(line) && isInList)
    return 'a list item of several lines goes out as text, with the lines around it: write each item on one line';
  if (at === 0 && /^(?: {4}|\t)/.test(line)) return asText('code by indentation', 'write a block of type code');
  if (at === 0 && lines.length > 1 && lines.every((one) => /^(?:\+|\d+\)) \S/.test(one)))
    return 'a list goes out as text: begin its items with - or 1.';
  // A line that is indented within a list is the reason for all of it.
  const isBroken = lines.slice(lines.findIndex((one) => ITEM.test(one)) + 1).some((one) => /^\s+\S/.test(one));
  const isJoined = lines.length > 1 && HEADING_OR_LIST.test(line) && !HEADING_OR_LIST.test(before) && !(isBroken && ITEM.test(line));
  return isJoined ? 'a heading or list goes out as text: it needs an empty line before and after it' : undefined;
}
