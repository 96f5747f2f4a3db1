import { Failure } from '../failure.ts';
import { isEqual, type Json, type JsonObject } from './canonical.ts';
import { parseYaml, parseYamlObject, yamlText } from './yaml-text.ts';

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
    return isEqual(blocksOf(text, ''), [block]);
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
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  // Line by line: a pattern would take other separators for ends of lines, too.
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const settings =
    end > 0
      ? parseYamlObject(
          lines
            .slice(1, end)
            .map((line) => `${line}\n`)
            .join(''),
          file,
        )
      : {};
  const { preheader, ...others } = settings;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Failure(`${file}: ${unknown} is no field of the head; preheader is`);
  if (preheader !== undefined && preheader !== null && typeof preheader !== 'string')
    throw new Failure(`${file}: preheader should be a text`);
  const blocks = blocksOf(lines.slice(end + 1).join('\n'), file);
  return { ...(typeof preheader === 'string' ? { preheader } : {}), blocks };
}

function blocksOf(markdown: string, file: string): JsonObject[] {
  const blocks: JsonObject[] = [];
  let paragraphs: string[] = [];
  const endText = (): void => {
    if (paragraphs.length > 0) blocks.push({ type: 'text', text: paragraphs.join('\n\n') });
    paragraphs = [];
  };
  for (const piece of piecesOf(markdown, file)) {
    const block = 'yaml' in piece ? blockOfFence(piece.yaml, file) : blockOf(piece.text);
    if (block === undefined && 'text' in piece) {
      if (piece.text === BETWEEN) endText();
      else paragraphs.push(piece.text);
      continue;
    }
    endText();
    if (block) blocks.push(block);
  }
  endText();
  return blocks;
}

type Piece = { readonly text: string } | { readonly yaml: string };

/** Between empty lines, each fence as one. */
function piecesOf(markdown: string, file: string): Piece[] {
  const pieces: Piece[] = [];
  let text: string[] = [];
  let fence: { readonly mark: string; readonly lines: string[] } | undefined;
  const end = (): void => {
    if (text.length > 0) pieces.push({ text: text.join('\n') });
    text = [];
  };
  for (const line of markdown.split('\n')) {
    const opened = /^(`{3,})block\s*$/.exec(line);
    if (fence) {
      if (line.trimEnd() === fence.mark) {
        pieces.push({ yaml: fence.lines.map((one) => `${one}\n`).join('') });
        fence = undefined;
      } else fence.lines.push(line);
    } else if (opened) {
      end();
      fence = { mark: opened[1] ?? FENCE, lines: [] };
    } else if (line.trim() === '') end();
    else text.push(line);
  }
  if (fence) throw new Failure(`${file}: a block that begins with ${fence.mark}block has no end`);
  end();
  return pieces;
}

/** Undefined: it is a paragraph. */
function blockOf(text: string): JsonObject | undefined {
  const heading = /^(#{1,3}) (\S.*)$/.exec(text);
  if (heading) return { type: 'heading', ...(heading[1] === '#' ? {} : { level: heading[1]?.length ?? 1 }), text: heading[2] ?? '' };
  if (/^-{3,}$/.test(text)) return { type: 'divider' };
  const lines = text.split('\n');
  const points = lines.map((line) => /^[-*] (.*)$/.exec(line)?.[1]);
  if (points.every((item) => item !== undefined)) return { type: 'list', items: points as string[] };
  const numbered = lines.map((line) => /^\d+\. (.*)$/.exec(line)?.[1]);
  if (numbered.every((item) => item !== undefined)) return { type: 'list', ordered: true, items: numbered as string[] };
  const quoted = lines.map((line) => /^> ?(.*)$/.exec(line)?.[1]);
  if (quoted.every((line) => line !== undefined)) return { type: 'quote', text: quoted.join('\n') };
  return undefined;
}

function blockOfFence(yaml: string, file: string): JsonObject {
  const block: unknown = parseYaml(yaml, file);
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    throw new Failure(`${file}: a fenced block should be an object with a type`);
  return block as { readonly [name: string]: Json };
}
