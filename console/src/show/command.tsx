import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedId } from './copied-id.tsx';

interface Given {
  /** What it is for, in a line above. */
  readonly words: string;
  /** For screen readers, as in "command that makes a key". */
  readonly name: string;
  readonly children: string;
}

/** A command that an operator gives where Everpost runs, to be copied. */
export function Command({ words, name, children }: Given): ReactNode {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {words}
      </Text>
      <Text size="sm" component="div">
        <CopiedId value={children} name={name} />
      </Text>
    </div>
  );
}
