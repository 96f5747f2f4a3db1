import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import type { GraphNode } from '../sequence-queries.ts';
import { LostSteps, stepsWords } from './lost-steps.tsx';

interface Given {
  /** The steps that no way would lead to any more; undefined: nothing is asked. */
  readonly behind: readonly GraphNode[] | undefined;
  readonly onClose: () => void;
  /** Ends the way, and deletes them. */
  readonly onEnd: () => void;
}

/** Asks what becomes of the steps behind an end that is put before them. */
export function EndHere({ behind, onClose, onEnd }: Given): ReactNode {
  return (
    <Modal opened={behind !== undefined} onClose={onClose} title="End the path here?">
      {behind ? (
        <>
          <LostSteps steps={behind} />
          <Group justify="flex-end" gap="xs" mt="md">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button color="red.8" onClick={onEnd}>
              End here, delete {stepsWords(behind)}
            </Button>
          </Group>
        </>
      ) : null}
    </Modal>
  );
}
