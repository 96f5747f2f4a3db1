import { ActionIcon, Button, Menu, Stack, VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Issue } from '../../api/failure.ts';
import { BlockCard } from './block-card.tsx';
import { BLOCK_KINDS } from './block-fields.ts';
import { type BlockDraft, blockOf, draftOfBlock, newBlock } from './content-draft.ts';
import type { BlockType } from './template-queries.ts';
import classes from './templates.module.css';

/** A menu gives the focus back when it closes, a moment later. */
const AFTER_MENU_MS = 60;

interface Given {
  readonly blocks: readonly BlockDraft[];
  readonly onChange: (blocks: readonly BlockDraft[]) => void;
  /** Where they stand in the content, as the API names places: `content.blocks`. */
  readonly path: string;
  readonly issues: readonly Issue[];
  /** Columns hold no columns. */
  readonly isNested?: boolean;
}

/** Blocks from top to bottom: each is changed in its place, moved, copied and removed. */
export function BlocksEditor({ blocks, onChange, path, issues, isNested = false }: Given): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const put = (index: number, ...instead: readonly BlockDraft[]): void => onChange(blocks.toSpliced(index, 1, ...instead));
  /** The first that there is. */
  const focus = (...selectors: readonly string[]): void =>
    selectors
      .map((one) => list.current?.querySelector<HTMLElement>(one))
      .find(Boolean)
      ?.focus();
  const focusAfterMenu = (...selectors: readonly string[]): void => void setTimeout(() => focus(...selectors), AFTER_MENU_MS);
  const move = (index: number, by: -1 | 1): void => {
    const block = blocks[index];
    if (!block) return;
    const moved = blocks.toSpliced(index, 1).toSpliced(index + by, 0, block);
    // An element that is moved loses the focus.
    flushSync(() => {
      onChange(moved);
      setSaid(`${BLOCK_KINDS[block.block.type].label} is at place ${index + by + 1} of ${blocks.length}`);
    });
    // At the end of its way a button is disabled: the one beside it has the focus then.
    const isAtEnd = index + by === (by < 0 ? 0 : blocks.length - 1);
    focus(`#${block.id} [data-move="${isAtEnd ? -by : by}"]`);
  };
  const remove = (index: number): void => {
    put(index);
    const next = blocks[index + 1] ?? blocks[index - 1];
    focusAfterMenu(next ? `#${next.id} [data-menu]` : '[data-add]');
  };
  const add = (at: number, block: BlockDraft): void => {
    onChange(blocks.toSpliced(at, 0, block));
    const field = `#${block.id} :is(textarea, input:not([type="radio"]))`;
    focusAfterMenu(field, `#${block.id} [data-menu]`);
    // What a new block says is there to be typed over.
    setTimeout(() => list.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(field)?.select(), AFTER_MENU_MS);
  };
  return (
    <Stack gap={0} ref={list}>
      {blocks.map((block, index) => (
        <Fragment key={block.id}>
          <AddBlock isNested={isNested} before={BLOCK_KINDS[block.block.type].label} onAdd={(type) => add(index, newBlock(type))} />
          <BlockCard
            draft={block}
            path={`${path}[${index}]`}
            issues={issues}
            onChange={(changed) => put(index, changed)}
            onCopy={() => add(index + 1, draftOfBlock(blockOf(block)))}
            onRemove={() => remove(index)}
            onUp={index > 0 ? () => move(index, -1) : undefined}
            onDown={index < blocks.length - 1 ? () => move(index, 1) : undefined}
            columnEditor={(column) => (
              <BlocksEditor
                isNested
                blocks={block.columns[column] ?? []}
                path={`${path}[${index}].columns[${column}].blocks`}
                issues={issues}
                onChange={(changed) => put(index, { ...block, columns: block.columns.with(column, changed) })}
              />
            )}
          />
        </Fragment>
      ))}
      <AddBlock isNested={isNested} onAdd={(type) => add(blocks.length, newBlock(type))} />
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Stack>
  );
}

interface AddGiven {
  readonly isNested: boolean;
  /** Of which block; undefined: at the end. */
  readonly before?: string;
  readonly onAdd: (type: BlockType) => void;
}

function AddBlock({ isNested, before, onAdd }: AddGiven): ReactNode {
  const types = (Object.keys(BLOCK_KINDS) as BlockType[]).filter((type) => !isNested || type !== 'columns');
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        {before === undefined ? (
          <Button variant="default" w="fit-content" mt={8} leftSection={<IconPlus size={14} />} data-add>
            Add block
          </Button>
        ) : (
          <ActionIcon size={20} className={classes.inserter} aria-label={`Insert a block before ${before}`}>
            <IconPlus size={13} />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => {
          const { label, icon: Icon } = BLOCK_KINDS[type];
          return (
            <Menu.Item key={type} leftSection={<Icon size={15} />} onClick={() => onAdd(type)}>
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
