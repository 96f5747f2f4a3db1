import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

const CTRL = isMac ? '⌘' : 'Ctrl';

interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

const UNDO: readonly Shortcut[] = [
  { keys: [CTRL, 'Z'], does: 'Undo' },
  { keys: [CTRL, 'Shift', 'Z'], does: 'Redo' },
];

const GROUPS: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: [CTRL, 'K'], does: 'Find a page, a name or an action' },
      { keys: ['/'], does: 'Search the list' },
      { keys: ['?'], does: 'Show keyboard shortcuts' },
      { keys: [CTRL, 'S'], does: 'Save what you edit' },
      { keys: ['Esc'], does: 'Close' },
      { keys: ['Enter'], does: 'Submit the form' },
    ],
  },
  {
    title: 'Sequence graph',
    shortcuts: [
      { keys: ['↑', '↓', '←', '→'], does: 'Move between steps' },
      { keys: ['Home'], does: 'Go to the first step' },
      { keys: ['End'], does: 'Go to the last step' },
      { keys: ['A'], does: 'Add a step after this one' },
      { keys: ['D'], does: 'Duplicate the step' },
      { keys: ['Delete'], does: 'Delete the step' },
      ...UNDO,
    ],
  },
  {
    title: 'Template editor',
    shortcuts: [
      { keys: ['{{'], does: 'Insert a variable' },
      { keys: [CTRL, 'B'], does: 'Bold' },
      { keys: [CTRL, 'I'], does: 'Italic' },
      { keys: [CTRL, 'K'], does: 'Add or edit a link' },
      { keys: [CTRL, 'S'], does: 'Save the draft' },
      ...UNDO,
    ],
  },
];

/** What the keyboard does, everywhere and in the editors. */
export function Shortcuts({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="lg">
        {GROUPS.map(({ title, shortcuts }) => (
          <Stack key={title} gap={8} component="section">
            <Title order={3} size="sm">
              {title}
            </Title>
            {shortcuts.map((shortcut) => (
              <Line key={shortcut.does} {...shortcut} />
            ))}
          </Stack>
        ))}
      </Stack>
    </Modal>
  );
}

function Line({ keys, does }: Shortcut): ReactNode {
  return (
    <Group justify="space-between" wrap="nowrap" gap="md">
      <Text size="sm">{does}</Text>
      <Group gap={4} wrap="nowrap">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  );
}
