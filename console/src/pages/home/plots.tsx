import { Center, Group, Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { memo, type ReactNode, useDeferredValue } from 'react';
import { VIEWER_ZONE } from '../../frame/local-time.ts';
import type { Series } from '../../show/plot.ts';
import { Lines, PLOT_HEIGHT, StackedBars } from '../../show/plots.tsx';
import { PlottedNumbers } from '../../show/plotted-numbers.tsx';
import classes from './home.module.css';

const PLOTS = { bars: StackedBars, lines: Lines };

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: VIEWER_ZONE });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: VIEWER_ZONE });

/** So many labels of hours or days fit below a plot beside others, and on a phone. */
const MOST_LABELS = { wide: 6, narrow: 5 };

/** The counts of an hour or a day. */
export type Counts<Name extends string> = { readonly from: string } & Readonly<Record<Name, number>>;

export interface FigureGiven<Name extends string> {
  readonly title: string;
  readonly series: readonly Series<Name>[];
  /** The answer of the API to a count by hours or days of the viewer's zone; undefined while it is read. */
  readonly counted: { readonly bucket: 'hour' | 'day'; readonly counts: readonly Counts<Name>[] } | undefined;
  /** What is drawn in place of a count. */
  readonly drawn?: (counts: Counts<Name>, name: Name) => number;
  /** Of what is drawn. */
  readonly isInPercent?: boolean;
  /** In its place where all is zero. */
  readonly none: string;
  readonly plot: keyof typeof PLOTS;
}

/** A plot, and its numbers for those who do not see it, which is shown after what the page is opened for. */
export function Figure<Name extends string>(given: FigureGiven<Name>): ReactNode {
  return <Drawn {...given} counted={useDeferredValue(given.counted, undefined)} />;
}

/** Drawn anew for what is deferred only. */
const Drawn = memo(function Drawn<Name extends string>(given: FigureGiven<Name>): ReactNode {
  const { title, series, counted, drawn = (counts, name) => counts[name], isInPercent = false, none, plot } = given;
  const label = counted?.bucket === 'hour' ? HOUR : DAY;
  const rows = counted?.counts.map((counts) => ({ ...counts, when: label.format(new Date(counts.from)) }));
  const Plot = PLOTS[plot];
  const isNarrow = useMediaQuery('(max-width: 30em)') ?? false;
  return (
    <figure className={classes.plot} style={{ margin: 0 }}>
      <Group component="figcaption" justify="space-between" gap="xs" mb="xs" c="dimmed" fz="xs">
        <span>{isInPercent ? `${title}, in %` : title}</span>
        <span>
          {counted?.bucket === 'hour' ? 'Hours' : 'Days'} in {VIEWER_ZONE}
        </span>
      </Group>
      {rows ? (
        <>
          {rows.some((row) => series.some(({ name }) => row[name] > 0)) ? (
            <div aria-hidden>
              <Plot
                rows={rows.map((row) => ({
                  key: row.from,
                  when: row.when,
                  drawn: Object.fromEntries(series.map(({ name }) => [name, drawn(row, name)])) as Record<Name, number>,
                }))}
                series={series}
                isInPercent={isInPercent}
                mostLabels={isNarrow ? MOST_LABELS.narrow : MOST_LABELS.wide}
              />
            </div>
          ) : (
            <Center h={PLOT_HEIGHT}>
              <Text size="sm" c="dimmed">
                {none}
              </Text>
            </Center>
          )}
          <PlottedNumbers title={title} series={series} rows={rows} />
        </>
      ) : (
        <Skeleton h={PLOT_HEIGHT} />
      )}
    </figure>
  );
}) as typeof Figure;
