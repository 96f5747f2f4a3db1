import { Box, Paper } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import classes from './sequences.module.css';

interface Given {
  /** Above the canvas, within its frame. */
  readonly bar?: ReactNode;
  readonly canvas: ReactNode;
  readonly aside: ReactNode;
}

/**
 * A canvas as high as the window allows, with panels beside it that scroll by themselves. By keyboard Enter leads from a node to its panel, and
 * Escape from there back to the node.
 */
export function Workbench({ bar, canvas, aside }: Given): ReactNode {
  const whole = useRef<HTMLDivElement>(null);
  const focus = (selector: string): void => whole.current?.querySelector<HTMLElement>(selector)?.focus();
  const pressed = ({ key, target }: KeyboardEvent): void => {
    if (!(target instanceof Element)) return;
    // Once the panel of the node is there.
    if ((key === 'Enter' || key === ' ') && target.matches('.react-flow__node')) requestAnimationFrame(() => focus('[data-step]'));
    // What is open within the panel is closed first.
    if (key === 'Escape' && target.matches('[data-step], [data-step] :not([aria-expanded="true"])')) focus('.react-flow__node.selected');
  };
  return (
    <Box ref={whole} className={classes.workbench} onKeyDown={pressed}>
      <Paper withBorder radius="lg" className={classes.stage}>
        {bar ? <div className={classes.bar}>{bar}</div> : null}
        <div className={classes.canvas}>{canvas}</div>
      </Paper>
      <div className={classes.aside}>{aside}</div>
    </Box>
  );
}

/** Around the panel about the selected node: where Enter on a node leads. */
export function StepPanel({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div data-step tabIndex={-1} className={classes.stepPanel}>
      {children}
    </div>
  );
}
