import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../base.ts';
import { wayToDomainOf } from './sender-host.ts';

/** The way to the domain of a sender, within a text. */
export function DomainLink({ host, children }: { readonly host: string; readonly children: ReactNode }): ReactNode {
  return (
    <Anchor component={Link} href={inConsole(wayToDomainOf(host))} inherit c="inherit" underline="always">
      {children}
    </Anchor>
  );
}
