import { Box, Paper } from '@mantine/core';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
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
  const top = useTop(whole);
  const focus = (selector: string): void => whole.current?.querySelector<HTMLElement>(selector)?.focus();
  const pressed = ({ key, target }: KeyboardEvent): void => {
    if (!(target instanceof Element)) return;
    // Once the panel of the node is there.
    if ((key === 'Enter' || key === ' ') && target.matches('.react-flow__node')) requestAnimationFrame(() => focus('[data-step]'));
    // What is open within the panel is closed first.
    if (key === 'Escape' && target.matches('[data-step], [data-step] :not([aria-expanded="true"])')) focus('.react-flow__node.selected');
  };
  const tapped = ({ target }: MouseEvent): void => {
    if (target instanceof Element && target.closest('.react-flow__node')) requestAnimationFrame(() => showBelow(whole.current));
  };
  return (
    <Box
      ref={whole}
      className={classes.workbench}
      style={top === undefined ? undefined : ({ '--workbench-top': `${top}px` } as CSSProperties)}
      onKeyDown={pressed}
      onClick={tapped}
    >
      <Paper withBorder radius="lg" className={classes.stage}>
        {bar ? <div className={classes.bar}>{bar}</div> : null}
        <div className={classes.canvas}>{canvas}</div>
      </Paper>
      <div className={classes.aside}>{aside}</div>
    </Box>
  );
}

/** Where the panel of a node is below the canvas, it is out of sight when the node is tapped. */
function showBelow(whole: HTMLElement | null): void {
  const [panel, stage] = [whole?.querySelector('[data-step]'), whole?.firstElementChild];
  if (!panel || !stage || panel.getBoundingClientRect().top < stage.getBoundingClientRect().bottom) return;
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  panel.scrollIntoView({ block: 'nearest', behavior: isCalm ? 'auto' : 'smooth' });
}

/** How far below the top of the page something begins: what is above it may take two lines, or tell of a failure. */
function useTop(of: RefObject<HTMLElement | null>): number | undefined {
  const [top, setTop] = useState<number>();
  useEffect(() => {
    const measure = (): void => setTop(of.current ? Math.round(of.current.getBoundingClientRect().top + window.scrollY) : undefined);
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    const page = of.current?.closest('main');
    if (page) observer.observe(page);
    measure();
    return () => observer.disconnect();
  }, [of]);
  return top;
}

/** Around the panel about the selected node: where Enter on a node leads. */
export function StepPanel({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div data-step tabIndex={-1} className={classes.stepPanel}>
      {children}
    </div>
  );
}
