import { type Block, type Content, isMjml, type SimpleBlock } from './content.ts';

/** One string of a content: where it stands and how it is read. `cell`: once for each row, as `row`. */
export interface ContentString {
  readonly path: string;
  readonly source: string;
  readonly role: 'plain' | 'markdown' | 'url' | 'picture' | 'cell';
  /** What its block, and the columns around it, are shown for. */
  readonly showIf?: readonly string[];
}

/** A data path that a content reads without Liquid: what a block is shown for, what a table lists. */
export interface ContentPath {
  readonly path: string;
  readonly source: string;
  readonly role: 'condition' | 'rows';
  readonly showIf?: readonly string[];
}

/**
 * Every string and data path of a content, in the order of the mail, with paths like `content.blocks[2].url`. Of a content that its schema
 * refuses, those that are strings where one belongs.
 */
export function* contentStrings(content: Content, root: string): Generator<ContentString | ContentPath> {
  for (const found of ofContent(content, root)) if (typeof found.source === 'string') yield found;
}

function* ofContent(content: Content, root: string): Generator<ContentString | ContentPath> {
  if (isMjml(content)) return yield { path: `${root}.mjml`, source: content.mjml, role: 'plain' };
  if (content.preheader) yield { path: `${root}.preheader`, source: content.preheader, role: 'plain' };
  yield* ofBlocks(content.blocks, `${root}.blocks`);
}

/** Members with their indexes; none when the value is no array after all. */
function membersOf<T>(list: readonly T[]): (readonly [number, T])[] {
  return Array.isArray(list) ? [...list.entries()].filter(([, member]) => member !== null && member !== undefined) : [];
}

function* ofBlocks(blocks: readonly Block[], root: string, around?: readonly string[]): Generator<ContentString | ContentPath> {
  for (const [index, block] of membersOf(blocks)) {
    const path = `${root}[${index}]`;
    if (block.showIf) yield { path: `${path}.showIf`, source: block.showIf, role: 'condition' };
    const showIf = block.showIf ? [...(around ?? []), block.showIf] : (around ?? []);
    if (block.type !== 'columns') for (const found of ofBlock(block, path)) yield { ...found, showIf };
    else if (!around)
      for (const [column, { blocks }] of membersOf(block.columns)) yield* ofBlocks(blocks, `${path}.columns[${column}].blocks`, showIf);
  }
}

function* ofBlock(block: SimpleBlock, path: string): Generator<ContentString | ContentPath> {
  switch (block.type) {
    case 'heading':
    case 'code':
      return yield { path: `${path}.text`, source: block.text, role: 'plain' };
    case 'text':
      return yield { path: `${path}.text`, source: block.text, role: 'markdown' };
    case 'button':
      yield { path: `${path}.label`, source: block.label, role: 'plain' };
      return yield { path: `${path}.url`, source: block.url, role: 'url' };
    case 'image':
      yield { path: `${path}.src`, source: block.src, role: 'picture' };
      yield { path: `${path}.alt`, source: block.alt, role: 'plain' };
      if (block.href) yield { path: `${path}.href`, source: block.href, role: 'url' };
      return;
    case 'list':
      for (const [index, item] of membersOf(block.items)) yield { path: `${path}.items[${index}]`, source: item, role: 'plain' };
      return;
    case 'table':
      yield { path: `${path}.rows`, source: block.rows, role: 'rows' };
      for (const [index, { header, value }] of membersOf(block.columns)) {
        yield { path: `${path}.columns[${index}].header`, source: header, role: 'plain' };
        yield { path: `${path}.columns[${index}].value`, source: value, role: 'cell' };
      }
      return;
    case 'quote':
      yield { path: `${path}.text`, source: block.text, role: 'plain' };
      if (block.author) yield { path: `${path}.author`, source: block.author, role: 'plain' };
      return;
    case 'divider':
    case 'spacer':
      return;
    default:
      return block satisfies never;
  }
}
