import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

const SHORTCUTS: readonly { readonly keys: readonly string[]; readonly does: string }[] = [
  { keys: [isMac ? '⌘' : 'Ctrl', 'K'], does: 'Find a page, a name or an action' },
  { keys: ['/'], does: 'Search the list' },
  { keys: ['?'], does: 'Show keyboard shortcuts' },
  { keys: ['Esc'], does: 'Close' },
  { keys: ['Enter'], does: 'Submit the form' },
];

/** What the keyboard does everywhere. */
export function Shortcuts({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="sm">
        {SHORTCUTS.map(({ keys, does }) => (
          <Group key={does} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm">{does}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
