import type { Block, Content, SimpleBlock } from './content.ts';

/** One string of a content: where it stands and how it is read. `cell`: once for each row, as `row`. */
export interface ContentString {
  readonly path: string;
  readonly source: string;
  readonly role: 'plain' | 'markdown' | 'url' | 'cell';
}

/** A data path that a content reads without Liquid: what a block is shown for, what a table lists. */
export interface ContentPath {
  readonly path: string;
  readonly source: string;
  readonly role: 'condition' | 'rows';
}

/** Every string and data path of a content, in the order of the mail, with paths like `content.blocks[2].url`. */
export function* contentStrings(content: Content, root: string): Generator<ContentString | ContentPath> {
  if (content.preheader) yield { path: `${root}.preheader`, source: content.preheader, role: 'plain' };
  yield* ofBlocks(content.blocks, `${root}.blocks`);
}

function* ofBlocks(blocks: readonly Block[], root: string): Generator<ContentString | ContentPath> {
  for (const [index, block] of blocks.entries()) {
    const path = `${root}[${index}]`;
    if (block.showIf) yield { path: `${path}.showIf`, source: block.showIf, role: 'condition' };
    if (block.type !== 'columns') yield* ofBlock(block, path);
    else for (const [column, { blocks }] of block.columns.entries()) yield* ofBlocks(blocks, `${path}.columns[${column}].blocks`);
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
      yield { path: `${path}.src`, source: block.src, role: 'url' };
      yield { path: `${path}.alt`, source: block.alt, role: 'plain' };
      if (block.href) yield { path: `${path}.href`, source: block.href, role: 'url' };
      return;
    case 'list':
      for (const [index, item] of block.items.entries()) yield { path: `${path}.items[${index}]`, source: item, role: 'plain' };
      return;
    case 'table':
      yield { path: `${path}.rows`, source: block.rows, role: 'rows' };
      for (const [index, { header, value }] of block.columns.entries()) {
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
