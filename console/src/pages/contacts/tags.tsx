import { Group, Pill, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A contact may have many: `most` are shown, then how many more there are. */
export function Tags({ tags, most = tags.length }: { readonly tags: readonly string[]; readonly most?: number }): ReactNode {
  return (
    <Group gap={4}>
      {tags.slice(0, most).map((tag) => (
        <Pill key={tag} size="xs" maw={160}>
          {tag}
        </Pill>
      ))}
      {tags.length > most ? (
        <Text size="xs" c="dimmed">
          +{tags.length - most}
        </Text>
      ) : null}
    </Group>
  );
}
