import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStore } from '../api/store.ts';
import { leaveAsked } from './leave-guard.ts';

/** Whether input that is not saved may be lost. */
export function LeaveQuestion(): ReactNode {
  const asked = useStore(leaveAsked);
  const stay = (): void => leaveAsked.set(undefined);
  return (
    <Modal opened={asked !== undefined} onClose={stay} title="Leave without saving?" zIndex={300} closeOnEscape={false}>
      <Text size="sm">
        {asked?.isKept
          ? 'Your changes are not saved. This tab keeps them and offers them when you come back.'
          : 'What you typed is not saved and will be lost.'}
      </Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={stay} data-autofocus>
          Stay
        </Button>
        <Button color="red.8" onClick={() => asked?.leave()}>
          Leave
        </Button>
      </Group>
    </Modal>
  );
}
