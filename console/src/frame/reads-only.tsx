import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Operation, scopeOf } from '../session/operations.ts';

interface Given {
  /** What the section lists, as in "This key can read contacts". */
  readonly things: string;
  /** What its button would do, as in "adding". */
  readonly doing: string;
  /** Of the API, for which the key needs its scope. */
  readonly operation: Operation;
}

/** In the place of a button that the key does not allow. */
export function ReadsOnly({ things, doing, operation }: Given): ReactNode {
  return (
    <Text size="sm" c="dimmed">
      This key can read {things}; {doing} them needs {scopeOf(operation)}.
    </Text>
  );
}
