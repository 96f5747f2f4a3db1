import { Button, Menu, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Issue } from '../../api/failure.ts';
import { BlockCard } from './block-card.tsx';
import { BLOCK_KINDS } from './block-fields.ts';
import { type BlockDraft, type BlockType, blockOf, draftOfBlock, newBlock } from './content-draft.ts';

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
  const put = (index: number, ...instead: readonly BlockDraft[]): void => onChange(blocks.toSpliced(index, 1, ...instead));
  const move = (index: number, by: number): void => {
    const block = blocks[index];
    if (block) onChange(blocks.toSpliced(index, 1).toSpliced(index + by, 0, block));
  };
  return (
    <Stack gap={8}>
      {blocks.map((block, index) => (
        <BlockCard
          key={block.id}
          draft={block}
          path={`${path}[${index}]`}
          issues={issues}
          onChange={(changed) => put(index, changed)}
          onCopy={() => put(index, block, draftOfBlock(blockOf(block)))}
          onRemove={() => put(index)}
          onUp={index > 0 ? () => move(index, -1) : undefined}
          onDown={index < blocks.length - 1 ? () => move(index, 1) : undefined}
        />
      ))}
      <AddBlock isNested={isNested} onAdd={(type) => onChange([...blocks, newBlock(type)])} />
    </Stack>
  );
}

function AddBlock({ isNested, onAdd }: { readonly isNested: boolean; readonly onAdd: (type: BlockType) => void }): ReactNode {
  const types = (Object.keys(BLOCK_KINDS) as BlockType[]).filter((type) => !isNested || type !== 'columns');
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" w="fit-content" leftSection={<IconPlus size={14} />}>
          Add block
        </Button>
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
