import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { KindIcon } from '../graph/kind-icon.tsx';
import { NEW_KINDS, NODE_KINDS, type NodeKind } from '../graph/node-kinds.ts';
import classes from '../sequences.module.css';

interface Given {
  /** Where, for screen readers. */
  readonly label: string;
  readonly onAdd: (kind: NodeKind) => void;
  /** It would lead to the end as it does now. */
  readonly withoutEnd?: boolean;
  /** As a button with words rather than a small plus. */
  readonly words?: string;
  /** Current step opened from elsewhere too. */
  readonly opened?: boolean;
  readonly onOpenedChange?: (opened: boolean) => void;
}

/** Where there is less room than it takes, it scrolls. */
const WITHIN_WINDOW = { flip: true, shift: true, size: true };

/** A menu of the kinds of step. */
export function AddStep({ label, onAdd, withoutEnd = false, words, opened, onOpenedChange }: Given): ReactNode {
  const id = useId();
  return (
    <Menu
      position="bottom"
      width={300}
      withInitialFocusPlaceholder={false}
      middlewares={WITHIN_WINDOW}
      opened={opened}
      onChange={onOpenedChange}
    >
      <Menu.Target>
        {words ? (
          <Button variant="default" leftSection={<IconPlus size={13} />} aria-label={label} className={classes.add}>
            {words}
          </Button>
        ) : (
          // Reached from the step that its way begins at, rather than one after the other.
          <ActionIcon variant="default" size={18} radius="xl" className={classes.addHere} aria-label={label} tabIndex={-1}>
            <IconPlus size={11} stroke={2.4} />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown className={classes.kinds}>
        {NEW_KINDS.filter((kind) => !withoutEnd || kind !== 'exit').map((kind) => (
          <Menu.Item
            key={kind}
            leftSection={<KindIcon kind={kind} size={17} />}
            onClick={() => onAdd(kind)}
            aria-label={NODE_KINDS[kind].name}
            aria-describedby={`${id}-${kind}`}
          >
            {NODE_KINDS[kind].name}
            <Text size="xs" c="dimmed" id={`${id}-${kind}`}>
              {NODE_KINDS[kind].help}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
