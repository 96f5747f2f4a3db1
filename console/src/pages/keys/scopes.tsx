import { Group, Pill, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey } from './key-queries.ts';

/** What a key may do; without a scope it may still read what any key may. */
export function Scopes({ scopes }: Pick<ApiKey, 'scopes'>): ReactNode {
  if (scopes.length === 0 || scopes.includes('*')) {
    return (
      <Text inherit c={scopes.length === 0 ? 'dimmed' : undefined}>
        {scopes.length === 0 ? 'None: reads what any key may' : 'Everything'}
      </Text>
    );
  }
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Pill key={scope} size="xs">
          {scope}
        </Pill>
      ))}
    </Group>
  );
}
