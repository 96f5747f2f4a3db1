import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

const TITLES = {
  mail: 'Created as usual but never delivered',
  campaign: 'Started with a test key: none of its emails are delivered',
  run: 'Started with a test key: none of its emails are delivered',
} as const;

/** Beside a mail that never left, and a campaign or a run whose mails do not. */
export function Sandboxed({ what = 'mail' }: { readonly what?: keyof typeof TITLES }): ReactNode {
  return (
    <Badge size="sm" style={{ flex: 'none' }} title={TITLES[what]}>
      Sandboxed
    </Badge>
  );
}
