import { Box, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
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

/** In the place of a panel while it is read, about as high, so that nothing moves when it is there. */
export function PanelSkeleton({ lines }: { readonly lines: number }): ReactNode {
  return (
    <Paper withBorder radius="lg" className={classes.panel} aria-busy>
      <Group className={classes.panelHead}>
        <Skeleton h={14} w={140} />
      </Group>
      <Stack gap={18} className={classes.panelBody}>
        {Array.from({ length: lines }, (_, line) => line).map((line) => (
          <Skeleton key={line} h={11} w={`${88 - ((line * 23) % 40)}%`} />
        ))}
      </Stack>
    </Paper>
  );
}

/** In the place of a Detail while it is read. */
export function DetailSkeleton(): ReactNode {
  return <Detail main={<PanelSkeleton lines={9} />} aside={<PanelSkeleton lines={6} />} />;
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
