import { Button, Group, List, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type GraphNode, nodeWords } from '../graph/node-words.ts';

const MOST_NAMED = 6;

interface Given {
  /** The steps that no way would lead to any more; undefined: nothing is asked. */
  readonly behind: readonly GraphNode[] | undefined;
  readonly onClose: () => void;
  /** Ends the way, and deletes them. */
  readonly onEnd: () => void;
}

/** Asks what becomes of the steps behind an end that is put before them. */
export function EndHere({ behind, onClose, onEnd }: Given): ReactNode {
  const steps = behind?.length === 1 ? 'step' : `${behind?.length ?? 0} steps`;
  return (
    <Modal opened={behind !== undefined} onClose={onClose} title="End the way here?">
      <Text size="sm">{behind?.length === 1 ? 'No way leads to this step then:' : 'No way leads to these steps then:'}</Text>
      <List size="sm" my="xs">
        {behind?.slice(0, MOST_NAMED).map((node) => (
          <List.Item key={node.id}>{nodeWords(node)}</List.Item>
        ))}
        {behind && behind.length > MOST_NAMED ? <List.Item>And {behind.length - MOST_NAMED} more</List.Item> : null}
      </List>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red.8" onClick={onEnd}>
          End here, delete {steps}
        </Button>
      </Group>
    </Modal>
  );
}
