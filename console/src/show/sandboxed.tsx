import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

const TITLES = {
  mail: 'Made like any other, and kept here: it never left',
  campaign: 'A test key asked for it: none of its mails leaves',
  run: 'A test key asked for it: none of its mails leaves',
} as const;

/** Beside a mail that never left, and a campaign or a run whose mails do not. */
export function Sandboxed({ what = 'mail' }: { readonly what?: keyof typeof TITLES }): ReactNode {
  return (
    <Badge size="sm" style={{ flex: 'none' }} title={TITLES[what]}>
      Sandboxed
    </Badge>
  );
}
