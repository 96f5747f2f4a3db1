import { Button, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { KeyForm } from './key-form.tsx';

interface Given {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for the key to go on with. */
export function KeyDialog({ isOpen, onClose }: Given): ReactNode {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Use another key">
      <Text size="sm" mb="md">
        A key of this project keeps you on this page. A key of another project switches all tabs to that project.
      </Text>
      <KeyForm label="Use key" onTaken={onClose} />
    </Modal>
  );
}

/** The way on where the key lacks a scope. */
export function OtherKeyButton(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="default" mt="sm" onClick={() => setIsOpen(true)}>
        Use another key…
      </Button>
      <KeyDialog isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
