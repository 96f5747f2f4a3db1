import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { keysQuery } from './key-queries.ts';

/** Which key did something, within a sentence; by its name for those who may list the keys. */
export function KeyWords({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  const { data: keys } = useQuery({ ...keysQuery(), enabled: may('GET /keys') });
  const key = keys?.find((one) => one.id === id);
  if (!key) return 'an API key';
  return (
    <>
      the key{' '}
      <Anchor component={Link} href={inConsole('/keys')} inherit underline="always">
        {key.name ?? key.public_id}
      </Anchor>
    </>
  );
}
