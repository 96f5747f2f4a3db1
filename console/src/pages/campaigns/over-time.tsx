import { SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { PLOT_COLORS } from '../../show/plot.ts';
import { Lines } from '../../show/plots.tsx';
import { PlottedNumbers } from '../../show/plotted-numbers.tsx';
import { REPORTED } from './campaign-counts.ts';
import type { Bucket, CampaignResults } from './campaign-queries.ts';
import classes from './results.module.css';

const SERIES = [
  { name: 'opened', label: REPORTED.opened_count.label, color: PLOT_COLORS.opened },
  { name: 'clicked', label: REPORTED.clicked_count.label, color: PLOT_COLORS.clicked },
] as const;

/** So many labels fit below the plot. */
const MOST_LABELS = { wide: 6, narrow: 3 };

const HOUR = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
/** Days are those of UTC. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface Given {
  readonly overTime: CampaignResults['overTime'];
  readonly bucket: Bucket;
  readonly isChanging: boolean;
  readonly onBucket: (bucket: Bucket) => void;
}

/** When recipients opened and clicked for the first time. */
export function OverTime({ overTime: { bucket: shown, counts }, bucket, isChanging, onBucket }: Given): ReactNode {
  const isNarrow = useMediaQuery('(max-width: 30em)') ?? false;
  const label = shown === 'hour' ? HOUR : DAY;
  const rows = untilLast(counts).map((count) => ({ ...count, when: label.format(new Date(count.from)) }));
  return (
    <Panel
      title="Opens and clicks over time"
      flush
      action={
        <SegmentedControl
          size="xs"
          aria-label="By"
          data={[
            { value: 'hour', label: 'Hours' },
            { value: 'day', label: 'Days' },
          ]}
          value={bucket}
          onChange={(chosen) => onBucket(chosen as Bucket)}
        />
      }
    >
      {rows.some(({ opened, clicked }) => opened + clicked > 0) ? (
        <div className={classes.plot} data-changing={isChanging || undefined}>
          <Text size="xs" c="dimmed" mb="xs">
            Each recipient's first open and click;{' '}
            {shown === 'hour' ? 'hours of the first 7 days, in your time zone' : 'days of the first 60, in UTC'}
          </Text>
          <div aria-hidden>
            <Lines
              rows={rows.map(({ from, when, opened, clicked }) => ({ key: from, when, drawn: { opened, clicked } }))}
              series={SERIES}
              mostLabels={isNarrow ? MOST_LABELS.narrow : MOST_LABELS.wide}
              hasLegend
            />
          </div>
          <PlottedNumbers title="Opens and clicks over time" series={SERIES} rows={rows} />
        </div>
      ) : (
        <Text size="sm" c="dimmed" p="md">
          No opens or clicks in this period.
        </Text>
      )}
    </Panel>
  );
}

const FEWEST = 24;

/** Without the empty end of the time, where that is long. */
function untilLast<T extends { readonly opened: number; readonly clicked: number }>(counts: readonly T[]): readonly T[] {
  const last = counts.findLastIndex(({ opened, clicked }) => opened + clicked > 0);
  return counts.slice(0, Math.max(FEWEST, last + 2));
}
