import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './sequences.module.css';

interface Given {
  /** Above the canvas, within its frame. */
  readonly bar?: ReactNode;
  readonly canvas: ReactNode;
  readonly aside: ReactNode;
}

/** A canvas as high as the window allows, with panels beside it that scroll by themselves. */
export function Workbench({ bar, canvas, aside }: Given): ReactNode {
  return (
    <div className={classes.workbench}>
      <Paper withBorder radius="lg" className={classes.stage}>
        {bar ? <div className={classes.bar}>{bar}</div> : null}
        <div className={classes.canvas}>{canvas}</div>
      </Paper>
      <div className={classes.aside}>{aside}</div>
    </div>
  );
}
