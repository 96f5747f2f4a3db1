import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedId } from '../../show/copied-id.tsx';

interface Given {
  /** undefined: there is none to show. */
  readonly secret: string | undefined;
  readonly onStored: () => void;
}

/** A signing secret, which nobody can read again: it is left by its button only. */
export function SecretOnce({ secret, onStored }: Given): ReactNode {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onStored}
      title="Store the signing secret now"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">It is shown this once. Your receiver checks every call with it, by Standard Webhooks 1.0.</Text>
        <Paper withBorder px="sm" py={6}>
          {secret ? <CopiedId value={secret} name="secret" /> : null}
        </Paper>
        <Group justify="flex-end">
          <Button onClick={onStored} data-autofocus>
            I have stored it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
