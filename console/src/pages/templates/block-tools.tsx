import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconBookmark,
  IconCopy,
  IconDots,
  IconEye,
  IconGripVertical,
  IconPalette,
  IconTrash,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { BLOCK_KINDS } from './block-fields.ts';
import type { BlockType } from './template-queries.ts';
import classes from './templates.module.css';
import type { DragHandle } from './use-block-drag.ts';

export interface BlockToolsGiven {
  readonly onCopy: () => void;
  /** undefined: the key may not. */
  readonly onSave: (() => void) | undefined;
  readonly onRemove: () => void;
  /** undefined: it is the first. */
  readonly onUp: (() => void) | undefined;
  /** undefined: it is the last. */
  readonly onDown: (() => void) | undefined;
  readonly handle: DragHandle;
}

interface Given extends BlockToolsGiven {
  readonly type: BlockType;
  /** undefined: it has a condition already. */
  readonly onCondition: (() => void) | undefined;
  /** Shows how it looks, and hides it; undefined: it has no looks of its own. */
  readonly onStyle: (() => void) | undefined;
  readonly showsStyle: boolean;
}

/** The head of a block: what it is, and how it is moved, copied and removed. */
export function BlockTools({ type, onCopy, onSave, onRemove, onUp, onDown, handle, onCondition, onStyle, showsStyle }: Given): ReactNode {
  const { label, icon: Icon } = BLOCK_KINDS[type];
  return (
    <Group justify="space-between" wrap="nowrap" className={classes.cardHead} draggable {...handle}>
      <Group gap={6} wrap="nowrap" c="dimmed" title="Drag to move">
        <IconGripVertical size={13} className={classes.grip} aria-hidden />
        <Icon size={15} stroke={1.7} aria-hidden />
        <Text size="xs" fw={500}>
          {label}
        </Text>
      </Group>
      <Group gap={0} wrap="nowrap">
        <ActionIcon size={26} disabled={!onUp} onClick={onUp} aria-label={`Move ${label} up`} data-move={-1} className={classes.mover}>
          <IconArrowUp size={14} />
        </ActionIcon>
        <ActionIcon size={26} disabled={!onDown} onClick={onDown} aria-label={`Move ${label} down`} data-move={1} className={classes.mover}>
          <IconArrowDown size={14} />
        </ActionIcon>
        {onStyle ? (
          <ActionIcon
            size={26}
            variant={showsStyle ? 'light' : undefined}
            onClick={onStyle}
            aria-expanded={showsStyle}
            aria-label={`${label} style`}
            title="Alignment, colors, spacing"
            data-style
          >
            <IconPalette size={14} />
          </ActionIcon>
        ) : null}
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={26} aria-label={`More for ${label}`} data-menu>
              <IconDots size={14} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconCopy size={15} />} onClick={onCopy}>
              Duplicate
            </Menu.Item>
            {onSave ? (
              <Menu.Item leftSection={<IconBookmark size={15} />} onClick={onSave}>
                Save this block…
              </Menu.Item>
            ) : null}
            {onCondition ? (
              <Menu.Item leftSection={<IconEye size={15} />} onClick={onCondition}>
                Show only if…
              </Menu.Item>
            ) : null}
            <Menu.Item color="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={onRemove}>
              Remove
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
    </Group>
  );
}
