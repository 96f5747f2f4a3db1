import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { CellText } from '../show/cell-text.tsx';

interface Given {
  readonly name: string;
  /** What else it is, in one line below. */
  readonly more?: string | null | undefined;
  /** What else it is, is told by another column, or not worth a line where there are no columns. */
  readonly isMoreWideOnly?: boolean;
  /** Behind the name, of few rows of a list: a mark. */
  readonly beside?: ReactNode;
}

/** The first cell of a row of a list: what the row is. Where it is cut, all of it is told on hover. */
export function RowName({ name, more, isMoreWideOnly = false, beside }: Given): ReactNode {
  const shown = (
    <CellText isStrong title={name}>
      {name}
    </CellText>
  );
  return (
    <>
      {beside ? (
        <Group gap={8} wrap="nowrap">
          {shown}
          {beside}
        </Group>
      ) : (
        shown
      )}
      {more ? (
        <CellText isSmall isDimmed title={more} isWideOnly={isMoreWideOnly}>
          {more}
        </CellText>
      ) : null}
    </>
  );
}
