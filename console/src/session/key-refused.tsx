import { Anchor, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStore } from '../api/store.ts';
import { KeyForm } from './key-form.tsx';
import { signOutOrTell } from './sign-out.ts';
import { isRefused } from './standing.ts';

/** Asks for another key over the page, which stays as it is below. */
export function KeyRefused(): ReactNode {
  return (
    <Modal
      opened={useStore(isRefused)}
      onClose={() => {}}
      withCloseButton={false}
      title="Your session has ended"
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Text size="sm" mb="md">
        It expired, was ended elsewhere, or its key was revoked. Paste a key of the same project to continue here. Nothing you typed is
        lost.
      </Text>
      <KeyForm label="Go on" />
      <Text size="sm" mt="md" ta="center">
        <Anchor component="button" type="button" onClick={signOutOrTell}>
          Sign out instead
        </Anchor>
      </Text>
    </Modal>
  );
}
