import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** Throws away what was changed, after a question: there is no way back. */
export function DiscardChanges({ onDiscard }: { readonly onDiscard: () => void }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const stay = (): void => setIsAsked(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        Discard changes
      </Button>
      <Modal opened={isAsked} onClose={stay} title="Discard all changes?">
        <Text size="sm">Every change since the last save is lost, and Undo does not bring it back.</Text>
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={stay} data-autofocus>
            Keep editing
          </Button>
          <Button color="red.8" onClick={onDiscard}>
            Discard changes
          </Button>
        </Group>
      </Modal>
    </>
  );
}
