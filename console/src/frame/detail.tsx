import { Box, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './detail.module.css';

/** One thing: what happened to it in the wide column, what it is in the narrow one. */
export function Detail({ main, aside }: { readonly main: ReactNode; readonly aside: ReactNode }): ReactNode {
  return (
    <div className={classes.detail}>
      <div className={classes.main}>{main}</div>
      <div className={classes.aside}>{aside}</div>
    </div>
  );
}

interface PanelGiven {
  readonly title: string;
  readonly action?: ReactNode;
  /** Without room around, for a table. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a heading. */
export function Panel({ title, action, flush = false, children }: PanelGiven): ReactNode {
  return (
    <Paper withBorder radius="lg" component="section" className={classes.panel}>
      <Group justify="space-between" className={classes.panelHead}>
        <Title order={2}>{title}</Title>
        {action}
      </Group>
      <Box className={flush ? undefined : classes.panelBody}>{children}</Box>
    </Paper>
  );
}

/** Names with values; a value that there is none of is shown as a dash. */
export function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className={classes.facts}>{children}</dl>;
}

/** One of Facts. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  const isNone = children === null || children === undefined || children === '';
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>
        {isNone ? (
          <Text span inherit c="dimmed">
            –
          </Text>
        ) : (
          children
        )}
      </dd>
    </div>
  );
}
