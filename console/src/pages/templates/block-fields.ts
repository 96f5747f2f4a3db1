import {
  type Icon,
  IconColumns2,
  IconHeading,
  IconLetterSpacing,
  IconLineHeight,
  IconList,
  IconPassword,
  IconPhoto,
  IconQuote,
  IconSeparatorHorizontal,
  IconTable,
  IconTextSize,
} from '@tabler/icons-react';
import type { BlockType } from './template-queries.ts';

/** One value of a block, and how it is edited. */
export interface BlockField {
  readonly name: string;
  readonly label: string;
  /** rich: with marks. line: one line of running text. address: of the web. long: several lines. lines: a list, one line each. level: of a heading. cells: the columns of a table. picture: where one is. */
  readonly edited: 'text' | 'rich' | 'line' | 'address' | 'long' | 'number' | 'lines' | 'switch' | 'level' | 'cells' | 'picture';
  readonly note?: string;
  /** Left out when it is empty. */
  readonly isOptional?: boolean;
  /** What to say while it is empty and the content is to be saved; a preview goes without. */
  readonly lacking?: string;
  readonly placeholder?: string;
}

interface BlockKind {
  readonly label: string;
  readonly icon: Icon;
  readonly fields: readonly BlockField[];
  /** How it may look, beside what it says; undefined: it has no looks of its own. */
  readonly styles?: readonly ('align' | 'colors' | 'space')[];
}

const LIKE_TEXT = ['align', 'colors', 'space'] as const;

/** Each kind of block; what it holds is as the API has it. */
export const BLOCK_KINDS: Readonly<Record<BlockType, BlockKind>> = {
  heading: {
    label: 'Heading',
    icon: IconHeading,
    fields: [
      { name: 'text', label: 'Text', edited: 'line' },
      { name: 'level', label: 'Size', edited: 'level' },
    ],
    styles: LIKE_TEXT,
  },
  text: { label: 'Text', icon: IconTextSize, fields: [{ name: 'text', label: 'Text', edited: 'rich' }], styles: LIKE_TEXT },
  button: {
    label: 'Button',
    icon: IconLetterSpacing,
    fields: [
      { name: 'label', label: 'Button text', edited: 'line' },
      { name: 'url', label: 'Web address', edited: 'address', placeholder: 'https://example.com', lacking: 'Enter a web address' },
    ],
    styles: LIKE_TEXT,
  },
  image: {
    label: 'Image',
    icon: IconPhoto,
    fields: [
      {
        name: 'src',
        label: 'Address of the picture',
        edited: 'picture',
        placeholder: 'https://example.com/picture.png',
        lacking: 'Enter the image address',
      },
      {
        name: 'alt',
        label: 'Alt text',
        edited: 'text',
        note: 'Describes the image for screen readers and when images are off. Leave empty if decorative',
      },
      { name: 'width', label: 'Width in pixels', edited: 'number', isOptional: true },
      { name: 'href', label: 'Link', edited: 'address', isOptional: true },
    ],
    styles: ['align', 'space'],
  },
  divider: { label: 'Divider', icon: IconSeparatorHorizontal, fields: [], styles: ['space'] },
  spacer: { label: 'Space', icon: IconLineHeight, fields: [{ name: 'height', label: 'Height in pixels', edited: 'number' }] },
  list: {
    label: 'List',
    icon: IconList,
    fields: [
      { name: 'items', label: 'Items (one per line)', edited: 'lines' },
      { name: 'ordered', label: 'Numbered', edited: 'switch', isOptional: true },
    ],
    styles: ['colors', 'space'],
  },
  table: {
    label: 'Table',
    icon: IconTable,
    fields: [
      { name: 'rows', label: 'One row per item of', edited: 'text', note: 'A list in the data, such as order.items' },
      { name: 'columns', label: 'Columns', edited: 'cells' },
    ],
    styles: ['space'],
  },
  quote: {
    label: 'Quote',
    icon: IconQuote,
    fields: [
      { name: 'text', label: 'Text', edited: 'long' },
      { name: 'author', label: 'Author', edited: 'text', isOptional: true },
    ],
    styles: LIKE_TEXT,
  },
  code: {
    label: 'One-time code',
    icon: IconPassword,
    fields: [{ name: 'text', label: 'Code', edited: 'text' }],
    styles: ['align', 'space'],
  },
  columns: { label: 'Columns', icon: IconColumns2, fields: [], styles: ['space'] },
};
