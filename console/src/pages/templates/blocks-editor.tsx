import { ActionIcon, Button, Menu, Stack, VisuallyHidden } from '@mantine/core';
import { IconBookmark, IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import type { Issue } from '../../api/failure.ts';
import { useSession } from '../../session/session.tsx';
import { BlockCard } from './block-card.tsx';
import { BLOCK_KINDS } from './block-fields.ts';
import { type BlockDraft, blockOf, draftOfBlock, NEW_BLOCKS } from './content-draft.ts';
import { SaveBlock } from './saved/save-block.tsx';
import { SavedBlocks } from './saved/saved-blocks.tsx';
import type { Block, BlockType } from './template-queries.ts';
import classes from './templates.module.css';
import { useBlockDrag } from './use-block-drag.ts';
import { useBlockList } from './use-block-list.ts';

interface Given {
  readonly blocks: readonly BlockDraft[];
  readonly onChange: (blocks: readonly BlockDraft[]) => void;
  /** Where they stand in the content, as the API names places: `content.blocks`. */
  readonly path: string;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  /** Columns hold no columns. */
  readonly isNested?: boolean;
}

/** Blocks from top to bottom: each is changed in its place, moved, copied and removed. */
export function BlocksEditor({ blocks, onChange, path, issues, warnings, isNested = false }: Given): ReactNode {
  const { list, said, put, move, remove, add } = useBlockList({ blocks, onChange });
  const drag = useBlockDrag(move);
  const { may } = useSession();
  /** The block that is to be saved, until another is. */
  const [kept, setKept] = useState<Block>();
  const [saves, setSaves] = useState(false);
  const keep = (block: Block): void => {
    setKept(block);
    setSaves(true);
  };
  return (
    <Stack gap={0} ref={list}>
      {blocks.map((block, index) => (
        <Fragment key={block.id}>
          <AddBlock isNested={isNested} before={BLOCK_KINDS[block.block.type].label} onAdd={(block) => add(index, draftOfBlock(block))} />
          <BlockCard
            draft={block}
            path={`${path}[${index}]`}
            issues={issues}
            warnings={warnings}
            onChange={(changed) => put(index, changed)}
            onSave={may('POST /saved-blocks') ? () => keep(blockOf(block)) : undefined}
            onCopy={() => add(index + 1, draftOfBlock(blockOf(block)))}
            onRemove={() => remove(index)}
            onUp={index > 0 ? () => move(index, -1) : undefined}
            onDown={index < blocks.length - 1 ? () => move(index, 1) : undefined}
            card={drag.card(index)}
            handle={drag.handle(index)}
            columnEditor={(column) => (
              <BlocksEditor
                isNested
                blocks={block.columns[column] ?? []}
                path={`${path}[${index}].columns[${column}].blocks`}
                issues={issues}
                warnings={warnings}
                onChange={(changed) => put(index, { ...block, columns: block.columns.with(column, changed) })}
              />
            )}
          />
        </Fragment>
      ))}
      <AddBlock isNested={isNested} onAdd={(block) => add(blocks.length, draftOfBlock(block))} />
      {kept ? <SaveBlock opened={saves} onClose={() => setSaves(false)} block={kept} /> : null}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Stack>
  );
}

interface AddGiven {
  readonly isNested: boolean;
  /** Of which block; undefined: at the end. */
  readonly before?: string;
  readonly onAdd: (block: Block) => void;
}

function AddBlock({ isNested, before, onAdd }: AddGiven): ReactNode {
  const types = (Object.keys(BLOCK_KINDS) as BlockType[]).filter((type) => !isNested || type !== 'columns');
  const [choosesSaved, setChoosesSaved] = useState(false);
  return (
    <>
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
              <Menu.Item key={type} leftSection={<Icon size={15} />} onClick={() => onAdd(NEW_BLOCKS[type])}>
                {label}
              </Menu.Item>
            );
          })}
          <Menu.Divider />
          <Menu.Item leftSection={<IconBookmark size={15} />} onClick={() => setChoosesSaved(true)}>
            Saved blocks…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SavedBlocks
        opened={choosesSaved}
        onClose={() => setChoosesSaved(false)}
        isNested={isNested}
        onTake={(block) => {
          setChoosesSaved(false);
          onAdd(block);
        }}
      />
    </>
  );
}
