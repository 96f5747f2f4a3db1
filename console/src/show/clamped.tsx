import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A shorter text is seen whole wherever it stands. */
const MAY_BE_CUT = 40;

interface Given {
  /** What somebody has named; it may be as long as the API takes. */
  readonly children: string;
  readonly lines?: number;
}

/** A text in so many lines at most; where it may be cut, all of it is told on hover. */
export function Clamped({ children, lines = 2 }: Given): ReactNode {
  return (
    <Text span inherit lineClamp={lines} style={{ overflowWrap: 'anywhere' }} title={children.length > MAY_BE_CUT ? children : undefined}>
      {children}
    </Text>
  );
}
