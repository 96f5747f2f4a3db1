import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { type Endpoint, successQuery } from './webhook-queries.ts';

/** Whether an endpoint is called, and whether it refuses what it is told. */
export function EndpointStatus({ endpoint: { id, enabled } }: { readonly endpoint: Endpoint }): ReactNode {
  const { data } = useQuery(successQuery(id));
  if (!enabled) return <Status value="disabled" tone="idle" />;
  if (!data?.refusal) return <Status value="enabled" tone="good" />;
  if (data.refusal.status === null) return <Status value="not answering" tone="bad" />;
  return (
    <Group gap={4}>
      <Status value="failing" tone="bad" />
      <Text span size="xs" c="dimmed" fw={400}>
        answers {data.refusal.status}
      </Text>
    </Group>
  );
}
