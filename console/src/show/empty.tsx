import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface EmptyProps {
  readonly title: string;
  /** Why, or what to do. */
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}

/** In the place of things that there are none of. */
export function Empty({ title, text, action }: EmptyProps): ReactNode {
  return (
    <Stack align="center" gap={6} py={56} px="md" ta="center">
      <Text fw={600} size="sm">
        {title}
      </Text>
      {text ? (
        <Text size="sm" c="dimmed" maw={420}>
          {text}
        </Text>
      ) : null}
      {action}
    </Stack>
  );
}
