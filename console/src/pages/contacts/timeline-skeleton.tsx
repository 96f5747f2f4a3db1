import { Group, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** In the place of a timeline while it is read. */
export function TimelineSkeleton(): ReactNode {
  return (
    <Stack gap="lg" aria-busy>
      {[70, 55, 65, 40].map((width) => (
        <Group key={width} gap="md" wrap="nowrap">
          <Skeleton circle h={24} w={24} />
          <Skeleton h={12} w={`${width}%`} />
        </Group>
      ))}
    </Stack>
  );
}
