import { Anchor, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStore } from '../api/store.ts';
import { forgetKey, refusedKey } from './key.ts';
import { KeyForm } from './key-form.tsx';

/** Asks for another key over the page, which stays as it is below. */
export function KeyRefused(): ReactNode {
  const isRefused = useStore(refusedKey) !== undefined;
  return (
    <Modal
      opened={isRefused}
      onClose={() => {}}
      withCloseButton={false}
      title="The key is no longer accepted"
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Text size="sm" mb="md">
        It was revoked, or its project is gone. Paste another key of the same project to go on where you are; what you have typed is kept.
      </Text>
      <KeyForm label="Go on" />
      <Text size="sm" mt="md" ta="center">
        <Anchor component="button" type="button" onClick={forgetKey}>
          Sign out instead
        </Anchor>
      </Text>
    </Modal>
  );
}
