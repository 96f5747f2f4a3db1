import type { Issue } from '../../api/failure.ts';
import { BLOCK_KINDS } from './block-fields.ts';
import type { Block, BlockType, TemplateContent } from './template-queries.ts';

/** A content while it is edited. Ids are those of the elements on the page. */
export interface ContentDraft {
  /** Liquid; a blank one is the template's own. */
  readonly subject: string;
  readonly preheader: string;
  readonly blocks: readonly BlockDraft[];
  /** Of a content in MJML, which has neither preheader nor blocks. */
  readonly mjml?: string;
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
export const NEW_BLOCKS: Readonly<Record<BlockType, Block>> = {
  heading: { type: 'heading', text: 'A heading', level: 1 },
  text: { type: 'text', text: 'Some text' },
  button: { type: 'button', label: 'Open', url: '' },
  image: { type: 'image', src: '', alt: '' },
  divider: { type: 'divider' },
  spacer: { type: 'spacer', height: 24 },
  list: { type: 'list', items: ['First'] },
  table: { type: 'table', rows: 'order.items', columns: [{ header: 'Item', value: '{{ row.name }}' }] },
  quote: { type: 'quote', text: 'A quote' },
  code: { type: 'code', text: '{{ code }}' },
  columns: { type: 'columns', columns: [{ blocks: [{ type: 'text', text: 'Left' }] }, { blocks: [{ type: 'text', text: 'Right' }] }] },
};

export function draftOfBlock(block: Block): BlockDraft {
  const columns = block.type === 'columns' ? block.columns.map(({ blocks }) => blocks.map((one) => draftOfBlock(one))) : [];
  return { id: newId(), block, columns };
}

export function draftOfContent(content: TemplateContent, subject: string): ContentDraft {
  if ('mjml' in content) return { subject, preheader: '', blocks: [], mjml: content.mjml };
  const { preheader, blocks } = content;
  return { subject, preheader: preheader ?? '', blocks: blocks.map(draftOfBlock) };
}

export function contentOf({ preheader, blocks, mjml }: ContentDraft): TemplateContent {
  if (mjml !== undefined) return { mjml };
  return { ...(preheader ? { preheader } : {}), blocks: blocks.map(blockOf) };
}

/** What is to be saved as its subject: undefined where that is the one of mails, which stays as it is set, and '' for the template's own. */
export function subjectOf({ subject }: ContentDraft, { sent, own }: { readonly sent: string; readonly own: string }): string | undefined {
  const text = subject.trim() || own;
  if (text === sent) return undefined;
  return text === own ? '' : text;
}

/** What is to be sent for a block. */
export function blockOf({ block, columns }: BlockDraft): Block {
  if (block.type !== 'columns') return block;
  // Its editor offers no columns inside of columns.
  return { ...block, columns: columns.map((blocks) => ({ blocks: blocks.map(blockOf) })) as typeof block.columns };
}

/** What has still to be filled in before it can be saved, by the places that the API has for it. */
export function lackingIn(blocks: readonly BlockDraft[], path = 'content.blocks'): Issue[] {
  return blocks.flatMap(({ block, columns }, index) => [
    ...emptyFields(block).map(({ name, lacking }) => ({ path: `${path}[${index}].${name}`, message: lacking })),
    ...columns.flatMap((held, column) => lackingIn(held, `${path}[${index}].columns[${column}].blocks`)),
  ]);
}

/** The same with something in each of its empty places, so that it can be looked at. */
export function previewable(draft: ContentDraft): ContentDraft {
  return { ...draft, blocks: draft.blocks.map(filled) };
}

function filled({ id, block, columns }: BlockDraft): BlockDraft {
  const instead = Object.fromEntries(emptyFields(block).map(({ name }) => [name, NOWHERE]));
  return { id, block: { ...block, ...instead }, columns: columns.map((blocks) => blocks.map(filled)) };
}

/** For an address that is still to be filled in. */
export const NOWHERE = 'https://example.com';

function emptyFields(block: Block): { readonly name: string; readonly lacking: string }[] {
  const values = block as unknown as Readonly<Record<string, unknown>>;
  return BLOCK_KINDS[block.type].fields.flatMap(({ name, lacking }) => (lacking && values[name] === '' ? [{ name, lacking }] : []));
}
