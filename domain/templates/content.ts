import * as z from 'zod';
import type { Issue } from '../errors.ts';
import { required, whole } from './field-kinds.ts';
import { aligned, colored, spaced } from './style-fields.ts';

/** docs/contract/templates.md 22: what one content may hold, blocks inside columns counted too. */
export const CONTENT_LIMITS = { blocks: 200, bytes: 256 * 1024 } as const;

/** The place of all that a content says. */
export function contentPath(value: unknown, root = 'content'): string {
  return isMjml(value) ? `${root}.mjml` : root;
}

/** What is said of content that is larger. */
export function contentTooLarge(value: unknown, root = 'content'): Issue {
  return { path: contentPath(value, root), message: `at most ${CONTENT_LIMITS.bytes / 1024} KB` };
}

/** All but tabs and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;
const PATH = /^[A-Za-z_][\w-]*(?:\.[A-Za-z0-9_][\w-]*|\[\d{1,4}\])*$/;

const text = () =>
  z
    .string({ error: required('a string') })
    .regex(/./s, { error: 'should not be empty' })
    .refine(hasNoControls, NO_CONTROLS);
const textOrNothing = () => z.string({ error: required('a string') }).refine(hasNoControls, NO_CONTROLS);
/** What is said of a text that has some. */
export const NO_CONTROLS = { error: 'control characters are not possible' };

/** Whether a text has none but tabs and line breaks. */
export function hasNoControls(value: string): boolean {
  return !CONTROLS.test(value);
}

/** A dotted path into the variables of a mail, like `order.items`. */
const DataPath = z
  .string({ error: required('a data path like order.items') })
  .regex(PATH, { error: 'should be a data path like order.items' })
  .meta({ id: 'TemplateDataPath', description: 'A dotted path into the variables of an email, like order.items' });

const url = (description: string) => text().meta({ description: `${description} Liquid is possible; only https, http and mailto.` });
const shown = { showIf: DataPath.nullish().meta({ description: 'Shown when this path has a value: not missing, null, false or empty' }) };

const kind = <K extends string>(name: K) => z.literal(name).meta({ description: 'The kind of block' });

const HeadingBlock = z
  .strictObject({
    type: kind('heading'),
    text: text().meta({ description: 'Liquid' }),
    level: whole(1, 3).nullish().meta({ description: '1 when omitted' }),
    ...aligned,
    ...colored,
    ...spaced,
    ...shown,
  })
  .meta({ id: 'HeadingBlock', description: 'A headline' });
const TextBlock = z
  .strictObject({
    type: kind('text'),
    text: text().meta({ description: 'Liquid and inline Markdown' }),
    ...aligned,
    ...colored,
    ...spaced,
    ...shown,
  })
  .meta({
    id: 'TextBlock',
    description: 'Inline Markdown: **bold**, *italic*, [links](https://example.com), line breaks; HTML is shown as text',
  });
const ButtonBlock = z
  .strictObject({
    type: kind('button'),
    label: text().meta({ description: 'What stands on it; Liquid' }),
    url: url('Where it leads.'),
    ...aligned,
    ...colored,
    ...spaced,
    ...shown,
  })
  .meta({ id: 'ButtonBlock', description: 'A link that looks like a button' });
const ImageBlock = z
  .strictObject({
    type: kind('image'),
    src: text().meta({
      description:
        'Address of the picture. Liquid is possible; only https, http, mailto, and `cid:` with the `contentId` of an attachment.',
    }),
    alt: textOrNothing().meta({ description: 'What the picture shows; empty for mere decoration' }),
    width: whole(1, 600, ' pixels').nullish().meta({ description: 'In pixels; the full width when omitted' }),
    href: url('Where a click leads.').nullish(),
    ...aligned,
    ...spaced,
    ...shown,
  })
  .meta({ id: 'ImageBlock', description: 'A picture' });
const DividerBlock = z
  .strictObject({ type: kind('divider'), ...spaced, ...shown })
  .meta({ id: 'DividerBlock', description: 'A line across' });
const SpacerBlock = z
  .strictObject({ type: kind('spacer'), height: whole(1, 200, ' pixels').meta({ description: 'In pixels' }), ...shown })
  .meta({ id: 'SpacerBlock', description: 'Room between two blocks' });
const ListBlock = z
  .strictObject({
    type: kind('list'),
    items: z
      .array(text(), { error: required('an array of strings') })
      .min(1, { error: 'at least one item' })
      .max(1000, { error: 'at most 1000 items' })
      .meta({ description: 'Liquid and inline Markdown' }),
    ordered: z.boolean({ error: 'should be true or false' }).nullish().meta({ description: 'true: with numbers' }),
    ...colored,
    ...spaced,
    ...shown,
  })
  .meta({ id: 'ListBlock', description: 'Points, one below the other' });
const TableColumn = z
  .strictObject(
    {
      header: textOrNothing().meta({ description: 'What stands above the column; Liquid' }),
      value: textOrNothing().meta({ description: 'Liquid; the item is `row`' }),
    },
    { error: required('an object') },
  )
  .meta({ id: 'TableColumn', description: 'One column of a table' });
const TableBlock = z
  .strictObject({
    type: kind('table'),
    rows: DataPath.meta({ description: 'Data path to an array; one row for each member' }),
    columns: z
      .array(TableColumn, { error: required('an array of 1 to 8 columns') })
      .min(1, { error: 'should be an array of 1 to 8 columns' })
      .max(8, { error: 'should be an array of 1 to 8 columns' })
      .meta({ description: 'From left to right' }),
    ...spaced,
    ...shown,
  })
  .meta({ id: 'TableBlock', description: 'A table with a row for each member of an array; without members it is left out' });
const QuoteBlock = z
  .strictObject({
    type: kind('quote'),
    text: text().meta({ description: 'Liquid' }),
    author: textOrNothing().nullish().meta({ description: 'Who said it; Liquid' }),
    ...aligned,
    ...colored,
    ...spaced,
    ...shown,
  })
  .meta({ id: 'QuoteBlock', description: 'What somebody said' });
const CodeBlock = z
  .strictObject({ type: kind('code'), text: text().meta({ description: 'Liquid' }), ...aligned, ...spaced, ...shown })
  .meta({ id: 'CodeBlock', description: 'A large one-time code' });

const SIMPLE_BLOCKS = [
  HeadingBlock,
  TextBlock,
  ButtonBlock,
  ImageBlock,
  DividerBlock,
  SpacerBlock,
  ListBlock,
  TableBlock,
  QuoteBlock,
  CodeBlock,
] as const;
const SIMPLE_KINDS = SIMPLE_BLOCKS.map((block) => block.shape.type.value);

const kindError =
  (kinds: readonly string[], nested: boolean) =>
  ({ input }: { readonly input?: unknown }): string => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'should be a block, an object with a type';
    return nested && 'type' in input && input.type === 'columns' ? 'columns cannot hold columns' : `should be one of ${kinds.join(', ')}`;
  };

const ColumnBlock = z
  .discriminatedUnion('type', SIMPLE_BLOCKS, { error: kindError(SIMPLE_KINDS, true) })
  .meta({ id: 'TemplateColumnBlock', description: 'A block that may stand in a column' });
const Column = z
  .strictObject(
    {
      blocks: z
        .array(ColumnBlock, { error: required('an array of blocks') })
        .max(CONTENT_LIMITS.blocks, { error: `at most ${CONTENT_LIMITS.blocks} blocks` })
        .meta({ description: 'From top to bottom' }),
    },
    { error: required('an object with blocks') },
  )
  .meta({ id: 'TemplateColumn', description: 'One column of an email' });
const ColumnsBlock = z
  .strictObject({
    type: kind('columns'),
    columns: z
      .array(Column, { error: required('an array of 2 or 3 columns') })
      .min(2, { error: 'should be an array of 2 or 3 columns' })
      .max(3, { error: 'should be an array of 2 or 3 columns' })
      .meta({ description: 'From left to right' }),
    ...spaced,
    ...shown,
  })
  .meta({ id: 'ColumnsBlock', description: 'Blocks side by side; on a phone one below the other' });

/** One piece of a mail; `type` names its kind. */
export const Block = z
  .discriminatedUnion('type', [...SIMPLE_BLOCKS, ColumnsBlock], { error: kindError([...SIMPLE_KINDS, 'columns'], false) })
  .meta({ id: 'TemplateBlock', description: 'One piece of an email; its `type` names its kind' });

/** Content that is written as blocks from top to bottom. Strings are Liquid. */
export const BlockContent = z
  .strictObject(
    {
      preheader: textOrNothing().nullish().meta({ description: 'Shown beside the subject in the list of emails' }),
      blocks: z
        .array(Block, { error: required('an array of blocks') })
        .max(CONTENT_LIMITS.blocks, { error: `at most ${CONTENT_LIMITS.blocks} blocks` })
        .meta({ description: 'From top to bottom' }),
    },
    { error: required('an object with blocks') },
  )
  .meta({ id: 'TemplateBlocks', description: 'Content as blocks from top to bottom. Texts are Liquid' });

/** Content that is written in MJML with Liquid in it. */
export const MjmlContent = z
  .strictObject({
    mjml: text().meta({ description: 'A whole document, `<mjml>…</mjml>`. Liquid may stand in attributes, in texts and between tags' }),
  })
  .meta({ id: 'TemplateMjml', description: 'Content in MJML, the markup language for emails, in place of blocks' });

/** What a template says. */
export const Content = z
  .union([BlockContent, MjmlContent])
  .meta({ id: 'TemplateContent', description: 'What a template says: blocks from top to bottom, or MJML. Texts are Liquid' });

export type SimpleBlock = z.infer<typeof ColumnBlock>;
export type Block = z.infer<typeof Block>;
export type BlockContent = z.infer<typeof BlockContent>;
export type MjmlContent = z.infer<typeof MjmlContent>;
export type Content = BlockContent | MjmlContent;

/** Whether a content is written in MJML; also of one that nobody has checked. */
export function isMjml(content: unknown): content is MjmlContent {
  return typeof content === 'object' && content !== null && 'mjml' in content;
}

/** Content as JSON; undefined when it is larger than content may be. */
export function contentJson(value: unknown): string | undefined {
  const json = JSON.stringify(value) ?? 'null';
  return json.length > CONTENT_LIMITS.bytes || Buffer.byteLength(json) > CONTENT_LIMITS.bytes ? undefined : json;
}
