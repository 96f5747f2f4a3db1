import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
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
  /** Where it is opened from elsewhere too. */
  readonly opened?: boolean;
  readonly onOpenedChange?: (opened: boolean) => void;
}

/** A menu of the kinds of step. */
export function AddStep({ label, onAdd, withoutEnd = false, words, opened, onOpenedChange }: Given): ReactNode {
  return (
    <Menu position="bottom" width={190} withInitialFocusPlaceholder={false} opened={opened} onChange={onOpenedChange}>
      <Menu.Target>
        {words ? (
          <Button variant="default" leftSection={<IconPlus size={13} />} aria-label={label}>
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
