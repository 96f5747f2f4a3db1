import { Group, Pill, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PRESETS } from '../../../generated/key-scopes.ts';
import { keysOf } from '../../frame/choices.ts';
import type { ApiKey } from './key-queries.ts';
import { PRESET_WORDS } from './scope-words.ts';

/** What a key may do, by the name of its preset where it has just that; without a scope it may still read what any key may. */
export function Scopes({ scopes }: Pick<ApiKey, 'scopes'>): ReactNode {
  if (scopes.length === 0 || scopes.includes('*')) {
    return (
      <Text inherit c={scopes.length === 0 ? 'dimmed' : undefined}>
        {scopes.length === 0 ? 'None: can read what any key can' : 'Everything'}
      </Text>
    );
  }
  const preset = keysOf(PRESETS).find((name) => sameScopes(PRESETS[name], scopes));
  if (preset) {
    return (
      <Text inherit title={scopes.join(', ')}>
        {PRESET_WORDS[preset].label}
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

function sameScopes(preset: readonly string[], scopes: readonly string[]): boolean {
  return preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
}
