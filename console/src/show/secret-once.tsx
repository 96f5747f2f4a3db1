import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedId } from './copied-id.tsx';

interface Given {
  /** What it is, as in "signing secret". */
  readonly what: string;
  /** undefined: there is none to show. */
  readonly secret: string | undefined;
  /** What it is for. */
  readonly children: ReactNode;
  readonly onStored: () => void;
}

/** What nobody can read again: it is left by its button only. */
export function SecretOnce({ what, secret, children, onStored }: Given): ReactNode {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onStored}
      title={`Save the ${what} now`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">It is shown this once. {children}</Text>
        <Paper withBorder px="sm" py={6}>
          {secret ? <CopiedId value={secret} name="secret" /> : null}
        </Paper>
        <Group justify="flex-end">
          <Button onClick={onStored} data-autofocus>
            I have saved it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
