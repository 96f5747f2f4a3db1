import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** The way back to what is saved, after a question. */
export function DiscardChanges({ onDiscard }: { readonly onDiscard: () => void }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const keep = (): void => setIsAsked(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        Discard changes
      </Button>
      <Modal opened={isAsked} onClose={keep} title="Discard all changes?">
        <Text size="sm">What you have changed since it was saved is lost.</Text>
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={keep} data-autofocus>
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
