import { ActionIcon, Button, Kbd, Menu } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { KindIcon } from '../graph/kind-icon.tsx';
import { KIND_NAMES, type NodeKind } from '../graph/node-words.ts';
import { NEW_KINDS } from './graph-draft.ts';

interface Given {
  /** Where, for screen readers. */
  readonly label: string;
  readonly onAdd: (kind: NodeKind) => void;
  /** It would lead to the end as it does now. */
  readonly withoutEnd?: boolean;
  /** As a button with words rather than a small plus. */
  readonly words?: string;
  /** A key that opens it from anywhere on the page. */
  readonly hotkey?: string;
}

/** A menu of the kinds of step. */
export function AddStep({ label, onAdd, withoutEnd = false, words, hotkey }: Given): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useHotkeys(hotkey === undefined ? [] : [[hotkey, () => setIsOpen(true)]]);
  return (
    <Menu position="bottom" width={190} withInitialFocusPlaceholder={false} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        {words ? (
          <Button
            variant="default"
            leftSection={<IconPlus size={13} />}
            rightSection={hotkey === undefined ? undefined : <Kbd size="xs">{hotkey}</Kbd>}
            aria-label={label}
            aria-keyshortcuts={hotkey}
          >
            {words}
          </Button>
        ) : (
          <ActionIcon variant="default" size={18} radius="xl" aria-label={label}>
            <IconPlus size={11} stroke={2.4} />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {NEW_KINDS.filter((kind) => !withoutEnd || kind !== 'exit').map((kind) => (
          <Menu.Item key={kind} leftSection={<KindIcon kind={kind} size={15} />} onClick={() => onAdd(kind)}>
            {KIND_NAMES[kind]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
