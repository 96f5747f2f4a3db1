import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { successQuery } from './webhook-queries.ts';

/** How many of the latest deliveries were taken, of those that are settled. */
export function SuccessRate({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(successQuery(id));
  if (!data) return null;
  const settled = data.delivered + data.failed;
  if (settled === 0) {
    return (
      <Text inherit c="dimmed">
        {data.pending > 0 ? `${data.pending} pending` : 'Nothing sent yet'}
      </Text>
    );
  }
  return (
    <Text inherit>
      {Math.floor((100 * data.delivered) / settled)} %{' '}
      <Text span inherit c="dimmed">
        of the last {settled}
        {data.pending > 0 ? `, ${data.pending} pending` : ''}
      </Text>
    </Text>
  );
}
