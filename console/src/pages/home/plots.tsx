import { Center, Group, Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, memo, type ReactNode, Suspense, useDeferredValue } from 'react';
import { HEIGHT, type Series, sharedBy } from '../../show/plot-over-time.ts';
import { PlottedNumbers } from '../../show/plotted-numbers.tsx';
import classes from './home.module.css';
import { VIEWER_ZONE } from './home-queries.ts';

/** Loaded apart, since numbers stand long before what is drawn of them is there. */
const Bars = lazy(async () => ({ default: (await import('../../show/drawn-over-time.tsx')).Bars }));
const Lines = lazy(async () => ({ default: (await import('../../show/drawn-over-time.tsx')).Lines }));

const PLOTS = { bars: Bars, lines: Lines };

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: VIEWER_ZONE });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: VIEWER_ZONE });

/** So many labels of hours or days fit below a plot beside others, and on a phone. */
const MOST_LABELS = { wide: 6, narrow: 5 };

/** The counts of an hour or a day, and what that is called. */
export type Row<Counts> = Counts & { readonly when: string };

/** The answer of the API to a count by hours or days of the viewer's zone. */
interface Counted<Counts> {
  readonly bucket: 'hour' | 'day';
  readonly counts: readonly Counts[];
}

function rowsOf<Counts extends { readonly from: string }>(counted: Counted<Counts> | undefined): Row<Counts>[] | undefined {
  const label = counted?.bucket === 'hour' ? HOUR : DAY;
  return counted?.counts.map((counts) => ({ ...counts, when: label.format(new Date(counts.from)) }));
}

export interface FigureGiven<Counts> {
  readonly title: string;
  readonly series: readonly (Series & { readonly name: keyof Counts })[];
  /** undefined while it is read. */
  readonly counted: Counted<Counts> | undefined;
  /** What is drawn of a row in place of its numbers. */
  readonly drawn?: (row: Row<Counts>) => Record<string, unknown>;
  /** Of what is drawn. */
  readonly isInPercent?: boolean;
  /** In its place where all is zero. */
  readonly none: string;
  readonly plot: keyof typeof PLOTS;
}

/** A plot, and its numbers for those who do not see it. Drawing takes longer than the rest of the page does, which is shown first. */
export function Figure<Counts extends { readonly from: string }>(given: FigureGiven<Counts>): ReactNode {
  return <Drawn {...given} counted={useDeferredValue(given.counted, undefined)} />;
}

/** Drawn anew for what is deferred only. */
const Drawn = memo(function Drawn<Counts extends { readonly from: string }>(given: FigureGiven<Counts>): ReactNode {
  const { title, series, counted, drawn = (row) => ({ ...row }), isInPercent = false, none, plot } = given;
  const rows = rowsOf(counted);
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
          {rows.some((row) => series.some(({ name }) => Number(row[name]) > 0)) ? (
            <div aria-hidden>
              <Suspense fallback={<Skeleton h={HEIGHT} />}>
                <Plot
                  {...sharedBy(rows, { mostLabels: isNarrow ? MOST_LABELS.narrow : MOST_LABELS.wide, isInPercent })}
                  data={rows.map(drawn)}
                  series={[...series]}
                />
              </Suspense>
            </div>
          ) : (
            <Center h={HEIGHT}>
              <Text size="sm" c="dimmed">
                {none}
              </Text>
            </Center>
          )}
          <PlottedNumbers title={title} series={series} rows={rows} />
        </>
      ) : (
        <Skeleton h={HEIGHT} />
      )}
    </figure>
  );
}) as typeof Figure;
