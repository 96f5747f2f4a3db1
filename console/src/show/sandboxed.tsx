import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** Beside a mail that never left. */
export function Sandboxed(): ReactNode {
  return (
    <Badge size="sm" style={{ flex: 'none' }} title="Made like any other, and kept here: it never left">
      Sandboxed
    </Badge>
  );
}
