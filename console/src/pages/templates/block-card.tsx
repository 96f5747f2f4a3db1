import { Paper, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Issue } from '../../api/failure.ts';
import { isAt, problemAt } from '../../api/issues.ts';
import { capitalized } from '../../letters.ts';
import { BlockFieldInput } from './block-field-input.tsx';
import { BLOCK_KINDS } from './block-fields.ts';
import { BlockStyle, STYLE_FIELDS } from './block-style.tsx';
import { BlockTools, type BlockToolsGiven } from './block-tools.tsx';
import type { BlockDraft } from './content-draft.ts';
import { asList } from './edit/list-or-text.ts';
import type { UploadedImage } from './images/image-queries.ts';
import type { Block } from './template-queries.ts';
import classes from './templates.module.css';
import type { DraggedCard } from './use-block-drag.ts';

interface Given extends BlockToolsGiven {
  readonly draft: BlockDraft;
  readonly path: string;
  readonly issues: readonly Issue[];
  /** What may not be meant, though it can be saved. */
  readonly warnings: readonly Issue[];
  readonly onChange: (draft: BlockDraft) => void;
  readonly card: DraggedCard;
  /** The blocks that stand in one of its columns. */
  readonly columnEditor: (index: number) => ReactNode;
}

/** One block with all that it holds. */
export function BlockCard({ draft, path, issues, warnings, onChange, columnEditor, card, ...tools }: Given): ReactNode {
  const { block, columns } = draft;
  const { label, fields, styles } = BLOCK_KINDS[block.type];
  const [showsStyle, setShowsStyle] = useState(false);
  const set = (name: string, value: unknown): void => onChange({ ...draft, block: withValue(block, name, value) });
  const takeImage = (image: UploadedImage): void => {
    onChange({ ...draft, block: withImage(block, image) });
    // What it shows is asked for next.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${draft.id} [name="alt"]`)?.focus());
  };
  const names = [...fields.map(({ name }) => name), 'showIf', ...(showsStyle ? STYLE_FIELDS : [])];
  const own = issues.filter((issue) => isAt(issue.path, path));
  const rest = own.filter((issue) => !names.some((name) => isAt(issue.path, `${path}.${name}`)) && block.type !== 'columns');
  const warned = warnings.filter(({ path: at }) => isAt(at, path) && block.type !== 'columns');
  const problemOf = (name: string): string | undefined => problemAt(own, `${path}.${name}`);
  const { showIf } = block;
  const hasCondition = typeof showIf === 'string';
  return (
    <Paper
      withBorder
      radius="md"
      component="section"
      role="group"
      id={draft.id}
      aria-label={label}
      className={classes.card}
      data-bad={own.length > 0 || undefined}
      {...card}
    >
      <BlockTools
        type={block.type}
        {...tools}
        onCondition={hasCondition ? undefined : () => set('showIf', '')}
        onStyle={styles && (() => setShowsStyle(!showsStyle))}
        showsStyle={showsStyle}
      />
      {fields.length > 0 || columns.length > 0 || hasCondition || showsStyle || rest.length > 0 ? (
        <Stack gap="sm" className={classes.cardBody}>
          {fields.map((field) => (
            <BlockFieldInput
              key={field.name}
              field={field}
              value={(block as unknown as Readonly<Record<string, unknown>>)[field.name]}
              problem={problemOf(field.name)}
              onChange={(value) => set(field.name, value)}
              onTakeImage={takeImage}
              onMakeList={() => (block.type === 'text' ? onChange({ ...draft, block: asList(block) }) : undefined)}
            />
          ))}
          {columns.map((_, index) => (
            <div key={index}>
              <Text size="xs" c="dimmed" mb={6}>
                Column {index + 1}
              </Text>
              {columnEditor(index)}
            </div>
          ))}
          {hasCondition ? (
            <TextInput
              label="Show only if"
              placeholder="A field such as order.discount. The block shows only if it has a value"
              value={showIf}
              error={problemOf('showIf')}
              onChange={(event) => set('showIf', event.currentTarget.value)}
              onBlur={() => (showIf === '' ? set('showIf', undefined) : undefined)}
            />
          ) : null}
          {showsStyle ? <BlockStyle block={block} problemOf={problemOf} onChange={set} /> : null}
          <Told warned={warned} rest={rest} />
        </Stack>
      ) : null}
    </Paper>
  );
}

interface ToldGiven {
  /** What may not be meant. */
  readonly warned: readonly Issue[];
  /** What is wrong and belongs to no field that is shown. */
  readonly rest: readonly Issue[];
}

function Told({ warned, rest }: ToldGiven): ReactNode {
  return [...warned, ...rest].map(({ path, message }, index) => (
    <Text key={`${path} ${message}`} size="xs" {...(index < warned.length ? { className: classes.warned } : { c: 'red' })}>
      {capitalized(message)}
    </Text>
  ));
}

/** What its form gives is of the kind that the block holds there. */
function withValue(block: Block, name: string, value: unknown): Block {
  const { [name]: _, ...others } = block as unknown as Readonly<Record<string, unknown>>;
  return (value === undefined ? others : { ...others, [name]: value }) as unknown as Block;
}

/** Pixels between the edges of a mail. */
const ROOM = 552;

/**
 * One that is narrower than the mail is shown as it is. What another picture showed is not what this one shows, and what a variable was shown for is
 * nothing that this one waits for.
 */
function withImage(block: Block, { url, width }: UploadedImage): Block {
  const { src = '', showIf } = block as { readonly src?: string; readonly showIf?: string | null };
  const isOther = src !== '' && src !== url;
  const isOfVariable = Boolean(showIf) && /\{[{%]/.test(src) && src.includes(showIf as string);
  const described = isOther ? withValue(block, 'alt', '') : block;
  const shown = isOfVariable ? withValue(described, 'showIf', undefined) : described;
  return withValue(withValue(shown, 'src', url), 'width', width < ROOM ? width : undefined);
}
