import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What a rule says before its first field, within it: in letters as large as the field's own. */
export function RuleWord({ children }: { readonly children: string }): ReactNode {
  return (
    <Text span inherit fz="var(--console-field-font-size)">
      {children}
    </Text>
  );
}
