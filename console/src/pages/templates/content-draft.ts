import type { TemplateContent } from './template-queries.ts';

export type Block = TemplateContent['blocks'][number];
export type BlockType = Block['type'];

/** A content while it is edited. Ids are those of the elements on the page. */
export interface ContentDraft {
  readonly preheader: string;
  readonly blocks: readonly BlockDraft[];
}

export interface BlockDraft {
  readonly id: string;
  readonly block: Block;
  /** What stands in each column, instead of what the block says; none but in a block of columns. */
  readonly columns: readonly (readonly BlockDraft[])[];
}

let ids = 0;
function newId(): string {
  ids += 1;
  return `block-${ids}`;
}

/** A block of its kind as one begins with it. */
const NEW: Readonly<Record<BlockType, Block>> = {
  heading: { type: 'heading', text: 'A heading', level: 1 },
  text: { type: 'text', text: 'Some text' },
  button: { type: 'button', label: 'Open', url: 'https://example.com' },
  image: { type: 'image', src: 'https://example.com/picture.png', alt: '' },
  divider: { type: 'divider' },
  spacer: { type: 'spacer', height: 24 },
  list: { type: 'list', items: ['First'] },
  table: { type: 'table', rows: 'order.items', columns: [{ header: 'Item', value: '{{ row.name }}' }] },
  quote: { type: 'quote', text: 'A quote' },
  code: { type: 'code', text: '{{ code }}' },
  columns: { type: 'columns', columns: [{ blocks: [{ type: 'text', text: 'Left' }] }, { blocks: [{ type: 'text', text: 'Right' }] }] },
};

export function newBlock(type: BlockType): BlockDraft {
  return draftOfBlock(NEW[type]);
}

export function draftOfBlock(block: Block): BlockDraft {
  const columns = block.type === 'columns' ? block.columns.map(({ blocks }) => blocks.map((one) => draftOfBlock(one))) : [];
  return { id: newId(), block, columns };
}

export function draftOfContent({ preheader, blocks }: TemplateContent): ContentDraft {
  return { preheader: preheader ?? '', blocks: blocks.map(draftOfBlock) };
}

export function contentOf({ preheader, blocks }: ContentDraft): TemplateContent {
  return { ...(preheader ? { preheader } : {}), blocks: blocks.map(blockOf) };
}

/** What is to be sent for a block. */
export function blockOf({ block, columns }: BlockDraft): Block {
  if (block.type !== 'columns') return block;
  // Its editor offers no columns inside of columns.
  return { ...block, columns: columns.map((blocks) => ({ blocks: blocks.map(blockOf) })) as typeof block.columns };
}
