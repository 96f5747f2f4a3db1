import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { successQuery } from './webhook-queries.ts';

/** How many of the latest deliveries were taken, of those that were tried. */
export function SuccessRate({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(successQuery(id));
  if (!data) return null;
  const { taken, tried, pending } = data;
  if (tried === 0) {
    return (
      <Text inherit c="dimmed">
        {pending > 0 ? `${pending} pending` : 'nothing yet'}
      </Text>
    );
  }
  return (
    <Text inherit>
      {Math.floor((100 * taken) / tried)} %{' '}
      <Text span inherit c="dimmed">
        of the last {tried}
        {pending > 0 ? `, ${pending} pending` : ''}
      </Text>
    </Text>
  );
}
