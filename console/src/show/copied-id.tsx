import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/**
 * An id, or another text that is often pasted elsewhere, with a button that copies it. `name`: what it is, for screen readers; `isWhole`: all of it is
 * shown, in as many lines as that takes.
 */
export function CopiedId({
  value,
  name = 'id',
  plain = false,
  isWhole = false,
}: {
  readonly value: string;
  readonly name?: string;
  readonly plain?: boolean;
  readonly isWhole?: boolean;
}): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" miw={0} align={isWhole ? 'flex-start' : undefined}>
      <Text
        size="sm"
        inherit
        ff={plain ? undefined : 'monospace'}
        truncate={isWhole ? undefined : true}
        title={isWhole ? undefined : value}
        style={isWhole ? { overflowWrap: 'anywhere' } : undefined}
      >
        {value}
      </Text>
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon size="sm" onClick={copy} aria-label={copied ? `Copied ${name}` : `Copy ${name}`}>
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
