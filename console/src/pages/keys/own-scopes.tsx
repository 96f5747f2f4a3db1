import { Box, Checkbox, SimpleGrid, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { areReadsNamed, granted, SCOPES } from '../../../generated/key-scopes.ts';
import { uncapitalized } from '../../letters.ts';
import type { Scope } from '../../session/me.ts';
import { SCOPE_WORDS } from './scope-words.ts';

interface Given {
  readonly own: readonly Scope[];
  readonly onOwn: (own: readonly Scope[]) => void;
  /** Whether it may be handed on. */
  readonly has: (scope: Scope) => boolean;
}

/** Scopes to choose from, and what a key with those chosen can read beyond what they say. */
export function OwnScopes({ own, onOwn, has }: Given): ReactNode {
  return (
    <>
      <Checkbox.Group aria-label="Scopes" value={[...own]} onChange={(chosen) => onOwn(chosen as Scope[])}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
          {pairsOf(SCOPES.filter(has)).map(({ area, read, write }) => (
            <Fragment key={area}>
              <Choice scope={read} />
              <Choice scope={write} />
            </Fragment>
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Text size="sm" c="dimmed" role="status">
        {alsoReadWords(own)}
      </Text>
    </>
  );
}

/** Nothing where there is no such scope, in its column. */
function Choice({ scope }: { readonly scope: Scope | undefined }): ReactNode {
  if (!scope) return <Box visibleFrom="xs" />;
  return <Checkbox value={scope} label={scope} description={SCOPE_WORDS[scope]} size="sm" />;
}

interface Pair {
  readonly area: string;
  readonly read?: Scope;
  readonly write?: Scope;
}

/** What reads and what changes the same, side by side. */
function pairsOf(scopes: readonly Scope[]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const scope of scopes) {
    const area = scope === 'send' ? 'sends' : scope.replace(/:.*/, '');
    pairs.set(area, { area, ...pairs.get(area), [scope.endsWith(':read') ? 'read' : 'write']: scope });
  }
  return [...pairs.values()];
}

function alsoReadWords(own: readonly Scope[]): string {
  const also = granted(own).filter((scope) => !own.includes(scope));
  if (own.length === 0 || also.length === 0) return '';
  const words = `This key will also read: ${also.map((scope) => uncapitalized(SCOPE_WORDS[scope])).join(', ')}.`;
  return areReadsNamed(own) ? words : `${words} To limit that, choose one of these read scopes.`;
}
