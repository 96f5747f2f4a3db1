import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { successQuery } from './webhook-queries.ts';

/** How many of the latest deliveries the endpoint took, of those that were tried. */
export function SuccessRate({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(successQuery(id));
  if (!data) return null;
  const { taken, tried, retrying, pending } = data;
  if (tried === 0) {
    return (
      <Text inherit c="dimmed">
        {pending > 0 ? `${pending} pending` : 'nothing yet'}
      </Text>
    );
  }
  if (retrying === tried) return <Text inherit>{tried === 1 ? '1 failing, retrying' : `${tried} failing, all retrying`}</Text>;
  return (
    <Text inherit>
      {taken}{' '}
      <Text span inherit c="dimmed">
        of {tried} delivered{retrying > 0 ? `, ${retrying} being retried` : ''}
      </Text>
    </Text>
  );
}
