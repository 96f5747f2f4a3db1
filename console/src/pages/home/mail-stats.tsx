import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Center, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import classes from './home.module.css';
import { type Period, type SendCounts, statsQuery } from './home-queries.ts';

type Name = Exclude<keyof SendCounts, 'from'>;

interface Series {
  readonly name: Name;
  readonly label: string;
  readonly color: string;
  /** What its share is a share of. */
  readonly of?: 'sent' | 'all';
}

const SERIES: readonly Series[] = [
  { name: 'sent', label: 'Sent', color: 'iris.6' },
  { name: 'failed', label: 'Failed', color: 'red.7', of: 'all' },
  { name: 'bounced', label: 'Bounced', color: 'orange.6', of: 'sent' },
  { name: 'complained', label: 'Complaints', color: 'pink.7', of: 'sent' },
  { name: 'opened', label: 'Opened', color: 'teal.6', of: 'sent' },
  { name: 'clicked', label: 'Clicked', color: 'cyan.7', of: 'sent' },
];

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });

/** What both plots have. */
const SHARED = {
  h: 210,
  dataKey: 'when',
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  tooltipAnimationDuration: 0,
  yAxisProps: { width: 40, allowDecimals: false, tickFormatter: (count: number) => COMPACT.format(count) },
  valueFormatter: (count: number) => count.toLocaleString('en'),
  xAxisProps: { interval: 'equidistantPreserveStart', minTickGap: 16, padding: { left: 12, right: 12 } },
} as const;

type PlotProps = typeof SHARED & { readonly data: Record<string, unknown>[]; readonly series: Series[] };

interface PlotKind {
  readonly title: string;
  readonly names: readonly Name[];
  /** In its place where all is zero. */
  readonly none: string;
  readonly plot: (props: PlotProps) => ReactNode;
}

const PLOTS: readonly PlotKind[] = [
  {
    title: 'Mails, by when they were sent',
    names: ['sent', 'failed'],
    none: 'Nothing was sent',
    plot: (props) => (
      <BarChart
        {...props}
        type="stacked"
        barProps={{ isAnimationActive: false, maxBarSize: 26 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    ),
  },
  {
    // A mail that was clicked was opened too, so they do not add up.
    title: 'What became of them',
    names: ['opened', 'clicked', 'bounced', 'complained'],
    none: 'Nothing reported yet',
    plot: (props) => (
      <LineChart
        {...props}
        curveType="monotone"
        withDots={false}
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false }}
      />
    ),
  },
];

const HOUR = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
/** Days are those of UTC. */
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** How the mails of a period fared, as numbers and as plots. */
export function MailStats({ period }: { readonly period: Period }): ReactNode {
  const { data, error, isPlaceholderData, refetch } = useQuery(statsQuery(period));
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  const label = data?.bucket === 'hour' ? HOUR : DAY;
  const rows = data?.counts.map((counts) => ({ ...counts, when: label.format(new Date(counts.from)) }));
  return (
    <Panel title="Mails" flush>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <dl className={classes.totals} data-changing={isPlaceholderData || undefined} aria-busy={isPlaceholderData || !data}>
        {SERIES.map((series) => (
          <div key={series.name} className={classes.total}>
            <dt>
              <span className={classes.swatch} style={{ background: `var(--mantine-color-${series.color.replace('.', '-')})` }} />
              {series.label}
            </dt>
            <dd>{data ? <Total series={series} totals={data.totals} /> : <Skeleton h={24} w={60} my={4} />}</dd>
          </div>
        ))}
      </dl>
      <div className={classes.plots} data-changing={isPlaceholderData || undefined}>
        {PLOTS.map(({ title, names, none, plot: Plot }) => (
          <figure key={title} className={classes.plot} style={{ margin: 0 }}>
            <Text component="figcaption" size="xs" c="dimmed" mb="xs">
              {title}
            </Text>
            {rows ? (
              <>
                {rows.some((row) => names.some((name) => row[name] > 0)) ? (
                  <div aria-hidden>
                    <Plot {...SHARED} data={rows} series={SERIES.filter(({ name }) => names.includes(name))} />
                  </div>
                ) : (
                  <Center h={SHARED.h}>
                    <Text size="sm" c="dimmed">
                      {none}
                    </Text>
                  </Center>
                )}
                <Numbers title={title} names={names} rows={rows} />
              </>
            ) : (
              <Skeleton h={210} />
            )}
          </figure>
        ))}
      </div>
    </Panel>
  );
}

function Total({ series: { name, of }, totals }: { readonly series: Series; readonly totals: Omit<SendCounts, 'from'> }): ReactNode {
  const whole = of === 'all' ? totals.sent + totals.failed : totals.sent;
  return (
    <>
      <Text span fz={20} fw={600} lh={1.2}>
        {totals[name].toLocaleString('en')}
      </Text>
      {of && whole > 0 ? (
        <Text span size="xs" c="dimmed">
          {' '}
          {((100 * totals[name]) / whole).toLocaleString('en', { maximumFractionDigits: 1 })} %
        </Text>
      ) : null}
    </>
  );
}

/** A plot for those who do not see it. */
function Numbers({
  title,
  names,
  rows,
}: {
  readonly title: string;
  readonly names: readonly Name[];
  readonly rows: readonly (SendCounts & { readonly when: string })[];
}): ReactNode {
  return (
    <VisuallyHidden>
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">When</th>
            {SERIES.filter(({ name }) => names.includes(name)).map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.from}>
              <th scope="row">{row.when}</th>
              {SERIES.filter(({ name }) => names.includes(name)).map(({ name }) => (
                <td key={name}>{row[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
