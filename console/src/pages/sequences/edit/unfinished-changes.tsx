import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from '../../../show/time.tsx';
import type { Unfinished } from './unfinished.ts';

interface Given {
  readonly unfinished: Unfinished;
  readonly onResume: () => void;
  readonly onDiscard: () => void;
}

/** Offers the changes that were left here unsaved. */
export function UnfinishedChanges({ unfinished: { at }, onResume, onDiscard }: Given): ReactNode {
  return (
    <Alert p="xs" pl="md">
      <Group justify="space-between" gap="xs">
        <span>
          You left changes here that are not saved, <Time at={at} />.
        </span>
        <Group gap="xs">
          <Button variant="default" onClick={onDiscard}>
            Discard them
          </Button>
          <Button variant="default" onClick={onResume}>
            Go on with them
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
