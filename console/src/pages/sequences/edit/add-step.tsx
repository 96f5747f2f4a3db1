import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { KindIcon } from '../graph/kind-icon.tsx';
import { KIND_NAMES, type NodeKind } from '../graph/node-words.ts';
import classes from '../sequences.module.css';
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

/** What a kind is for. */
const HELP: Readonly<Record<(typeof NEW_KINDS)[number], string>> = {
  send_email: 'One template to the contact',
  wait_delay: 'For a time, such as two days',
  wait_until: 'For an event, a condition or a time',
  branch: 'By what is known of the contact',
  split: 'By chance, to try one against another',
  update_contact: 'Set fields, add or remove tags',
  webhook: 'Tell another program',
  subflow: 'Enter the contact there too',
  goal: 'Ends the run as a success',
  exit: 'Ends the run',
};

/** A menu of the kinds of step. */
export function AddStep({ label, onAdd, withoutEnd = false, words, opened, onOpenedChange }: Given): ReactNode {
  const id = useId();
  return (
    <Menu position="bottom" width={300} withInitialFocusPlaceholder={false} opened={opened} onChange={onOpenedChange}>
      <Menu.Target>
        {words ? (
          <Button variant="default" leftSection={<IconPlus size={13} />} aria-label={label} className={classes.add}>
            {words}
          </Button>
        ) : (
          // Reached from the step that its way begins at, rather than one after the other.
          <ActionIcon variant="default" size={18} radius="xl" aria-label={label} tabIndex={-1}>
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
            aria-label={KIND_NAMES[kind]}
            aria-describedby={`${id}-${kind}`}
          >
            {KIND_NAMES[kind]}
            <Text size="xs" c="dimmed" id={`${id}-${kind}`}>
              {HELP[kind]}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
