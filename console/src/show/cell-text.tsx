import type { ReactNode } from 'react';
import classes from './cell-text.module.css';

interface Given {
  readonly children: ReactNode;
  readonly isDimmed?: boolean;
  /** Below what is larger. */
  readonly isSmall?: boolean;
  readonly isStrong?: boolean;
  /** In one line; all of it is told on hover. */
  readonly title?: string;
  /** Left out where there is no room for columns. */
  readonly isWideOnly?: boolean;
}

/** Words in the cell of a list, as large as its other words. Plain: a page has hundreds, and a styled component takes several times as long for each. */
export function CellText({ children, isDimmed, isSmall, isStrong, title, isWideOnly }: Given): ReactNode {
  return (
    <div
      className={classes.text}
      title={title}
      data-dimmed={isDimmed || undefined}
      data-small={isSmall || undefined}
      data-strong={isStrong || undefined}
      data-truncate={title === undefined ? undefined : 'end'}
      data-in-columns={isWideOnly || undefined}
    >
      {children}
    </div>
  );
}
