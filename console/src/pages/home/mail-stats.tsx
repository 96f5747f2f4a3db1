import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Anchor, Center, Group, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PLOT, PLOT_COLORS, PLOT_MARGIN } from '../../show/plot.ts';
import { MOST_BOUNCED, MOST_COMPLAINED, MOST_FAILED, Share } from '../../show/share.tsx';
import classes from './home.module.css';
import { type Period, type SendCounts, statsQuery } from './home-queries.ts';

type Name = Exclude<keyof SendCounts, 'from'>;

interface Series {
  readonly name: Name;
  readonly label: string;
  readonly color: string;
  /** What its share is a share of. */
  readonly of?: 'sent' | 'all';
  /** Above so many percent it is marked. */
  readonly most?: number;
  /** What follows from that, if not that mail of the sender is taken ill. */
  readonly harm?: string;
  /** The filter of the send log that finds them. */
  readonly sends?: Readonly<Record<string, string>>;
}

/** The send log is filtered by the last that was reported, which is how mails that came back stay. */
const SERIES: readonly Series[] = [
  { name: 'sent', label: 'Sent', color: PLOT_COLORS.sent, sends: { status: 'sent' } },
  {
    ...{ name: 'failed', label: 'Failed', color: PLOT_COLORS.failed, of: 'all', most: MOST_FAILED },
    ...{ harm: 'which is rarely the fault of single addresses', sends: { status: 'failed' } },
  },
  {
    ...{ name: 'bounced', label: 'Bounced', color: PLOT_COLORS.bounced, of: 'sent', most: MOST_BOUNCED },
    sends: { deliveryStatus: 'bounced' },
  },
  {
    ...{ name: 'complained', label: 'Complaints', color: PLOT_COLORS.complained, of: 'sent', most: MOST_COMPLAINED },
    sends: { deliveryStatus: 'complained' },
  },
  { name: 'opened', label: 'Opened', color: PLOT_COLORS.opened, of: 'sent' },
  { name: 'clicked', label: 'Clicked', color: PLOT_COLORS.clicked, of: 'sent' },
];

const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const inPercent = (share: number): string => `${PERCENT.format(share)} %`;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });
const HEIGHT = 210;
/** So many labels of hours or days fit below a plot beside others, and on a phone. */
const MOST_LABELS = { wide: 6, narrow: 5 };

/** What all plots have, so that their days stand below each other. */
function sharedBy(rows: readonly unknown[], isNarrow: boolean, isOfSent = false) {
  const most = isNarrow ? MOST_LABELS.narrow : MOST_LABELS.wide;
  return {
    ...PLOT,
    h: HEIGHT,
    dataKey: 'when',
    yAxisProps: {
      ...{ width: isOfSent ? 48 : 40, allowDecimals: isOfSent, interval: 0 },
      tickFormatter: isOfSent ? inPercent : (count: number) => COMPACT.format(count),
    },
    valueFormatter: isOfSent ? inPercent : (count: number) => count.toLocaleString('en'),
    xAxisProps: { interval: Math.ceil(rows.length / most) - 1 },
  } as const;
}

type PlotProps = ReturnType<typeof sharedBy> & { readonly data: Record<string, unknown>[]; readonly series: Series[] };

interface PlotKind {
  readonly title: string;
  readonly names: readonly Name[];
  /** Shown as shares of the mails sent: next to opens, a rate that harms would lie on the axis. */
  readonly isOfSent?: boolean;
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
        barChartProps={{ accessibilityLayer: false, margin: PLOT_MARGIN }}
      />
    ),
  },
  {
    // A mail that was clicked was opened too, so they do not add up.
    title: 'What people did with them',
    names: ['opened', 'clicked'],
    none: 'Nothing reported yet',
    plot: (props) => <Lines {...props} />,
  },
  {
    title: 'Bounces and complaints',
    names: ['bounced', 'complained'],
    isOfSent: true,
    none: 'None came back',
    plot: (props) => <Lines {...props} />,
  },
];

function Lines(props: PlotProps): ReactNode {
  return (
    <LineChart
      {...props}
      // Points stand in the middle of their day, as bars do.
      xAxisProps={{ ...props.xAxisProps, padding: { left: 22, right: 22 } }}
      curveType="linear"
      dotProps={{ r: 2.5 }}
      lineProps={{ isAnimationActive: false }}
      lineChartProps={{ accessibilityLayer: false, margin: PLOT_MARGIN }}
    />
  );
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
/** Days are those of UTC. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** How the mails of a period fared, as numbers and as plots. */
export function MailStats({ period }: { readonly period: Period }): ReactNode {
  const { data, error, isPlaceholderData, refetch } = useQuery(statsQuery(period));
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  const isByHour = data?.bucket === 'hour';
  const label = isByHour ? HOUR : DAY;
  const rows = data?.counts.map((counts) => ({ ...counts, when: label.format(new Date(counts.from)) }));
  const begin = data?.counts[0]?.from;
  return (
    <Panel title="Mails" flush>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <dl className={classes.totals} data-changing={isPlaceholderData || undefined} aria-busy={isPlaceholderData || !data}>
        {SERIES.map((series) => (
          <div key={series.name} className={classes.total}>
            <dt>
              <span className={classes.swatch} style={{ background: series.color }} />
              {begin && series.sends && data.totals[series.name] > 0 ? (
                <Anchor
                  component={Link}
                  href={inConsole(`/sends?${new URLSearchParams({ ...series.sends, from: begin })}`)}
                  inherit
                  c="inherit"
                  underline="always"
                >
                  {series.label}
                </Anchor>
              ) : (
                series.label
              )}
            </dt>
            <dd>{data ? <Total series={series} totals={data.totals} /> : <Skeleton h={24} w={60} my={4} />}</dd>
          </div>
        ))}
      </dl>
      <div className={classes.plots} data-changing={isPlaceholderData || undefined}>
        {PLOTS.map((kind) => (
          <Figure key={kind.title} kind={kind} rows={rows} isByHour={isByHour} />
        ))}
      </div>
    </Panel>
  );
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The counts of an hour or a day, and what that is called. */
type Row = SendCounts & { readonly when: string };

/** In percent of the mails sent in its time. */
function asShares(row: Row): Record<string, unknown> {
  const share = (part: number): number => (row.sent > 0 ? (100 * part) / row.sent : 0);
  return { when: row.when, bounced: share(row.bounced), complained: share(row.complained) };
}

interface FigureGiven {
  readonly kind: PlotKind;
  /** undefined while they are read. */
  readonly rows: Row[] | undefined;
  readonly isByHour: boolean;
}

function Figure({ kind: { title, names, none, isOfSent = false, plot: Plot }, rows, isByHour }: FigureGiven): ReactNode {
  const isNarrow = useMediaQuery('(max-width: 30em)') ?? false;
  return (
    <figure className={classes.plot} style={{ margin: 0 }}>
      <Group component="figcaption" justify="space-between" gap="xs" mb="xs" c="dimmed" fz="xs">
        <span>{isOfSent ? `${title}, in %` : title}</span>
        <span>{isByHour ? `Hours in ${OWN_ZONE}` : 'Days in UTC'}</span>
      </Group>
      {rows ? (
        <>
          {rows.some((row) => names.some((name) => row[name] > 0)) ? (
            <div aria-hidden>
              <Plot
                {...sharedBy(rows, isNarrow, isOfSent)}
                data={isOfSent ? rows.map(asShares) : rows}
                series={SERIES.filter(({ name }) => names.includes(name))}
              />
            </div>
          ) : (
            <Center h={HEIGHT}>
              <Text size="sm" c="dimmed">
                {none}
              </Text>
            </Center>
          )}
          <Numbers title={title} names={names} rows={rows} />
        </>
      ) : (
        <Skeleton h={HEIGHT} />
      )}
    </figure>
  );
}

function Total({
  series: { name, of, most, harm },
  totals,
}: {
  readonly series: Series;
  readonly totals: Omit<SendCounts, 'from'>;
}): ReactNode {
  const whole = of === 'all' ? totals.sent + totals.failed : totals.sent;
  return (
    <>
      <Text span fz={20} fw={600} lh={1.2}>
        {totals[name].toLocaleString('en')}
      </Text>
      {of && whole > 0 ? (
        <>
          {' '}
          <Share part={totals[name]} whole={whole} most={most} harm={harm} />
        </>
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
  readonly rows: readonly Row[];
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
