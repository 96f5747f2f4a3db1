import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Variable } from './variables.ts';

/** What a variable is called where it is offered, and what it would show. */
export function VariableWords({ variable: { path, sample, of } }: { readonly variable: Variable }): ReactNode {
  return (
    <>
      <Text span size="sm">
        {path}
      </Text>
      <Text span size="xs" c="dimmed" truncate>
        {sample || of}
      </Text>
    </>
  );
}
