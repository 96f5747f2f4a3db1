import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { recurringQuery } from './recurring-queries.ts';

/** Leads to the recurring campaign that has made a campaign. */
export function RecurringLink({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery({ ...recurringQuery(id), refetchInterval: false });
  return (
    <Anchor component={Link} href={inConsole(`/recurring-campaigns/${id}`)} inherit>
      {data?.name || 'Recurring campaign'}
    </Anchor>
  );
}
