import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

interface Given {
  /** Its address. */
  readonly to: string;
  readonly children: ReactNode;
}

/** The way to where the emails of a trial arrive; a tab of its own. */
export function MailboxLink({ to, children }: Given): ReactNode {
  return (
    <Anchor href={to} target="_blank" rel="noreferrer" inherit>
      {children}
    </Anchor>
  );
}
