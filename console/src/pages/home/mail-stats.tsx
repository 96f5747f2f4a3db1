import { Anchor, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { PLOT_COLORS, type Series } from '../../show/plot.ts';
import { MOST_BOUNCED, MOST_COMPLAINED, MOST_FAILED, Share } from '../../show/share.tsx';
import classes from './home.module.css';
import type { SendCounts, SendStats } from './home-queries.ts';
import { type Counts, Figure, type FigureGiven } from './plots.tsx';

type Name = Exclude<keyof SendCounts, 'from'>;

interface MailSeries extends Series<Name> {
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
const SERIES: readonly MailSeries[] = [
  { name: 'sent', label: 'Sent', color: PLOT_COLORS.sent, sends: { status: 'sent' } },
  {
    ...{ name: 'failed', label: 'Not sent', color: PLOT_COLORS.failed, of: 'all', most: MOST_FAILED },
    ...{ harm: 'which is rarely caused by single addresses', sends: { status: 'failed' } },
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

const seriesOf = (...names: readonly Name[]) => SERIES.filter(({ name }) => names.includes(name));

const PLOTS: readonly Omit<FigureGiven<Name>, 'counted'>[] = [
  { title: 'Emails sent', series: seriesOf('sent', 'failed'), none: 'Nothing sent', plot: 'bars' },
  // A mail that was clicked was opened too, so they do not add up.
  { title: 'Opens and clicks', series: seriesOf('opened', 'clicked'), none: 'Nothing reported yet', plot: 'lines' },
  {
    title: 'Bounces and complaints',
    series: seriesOf('bounced', 'complained'),
    // Next to opens, a rate that harms would lie on the axis.
    isInPercent: true,
    drawn: asShare,
    none: 'No bounces or complaints',
    plot: 'lines',
  },
];

interface Given {
  /** undefined while they are read. */
  readonly stats: SendStats | undefined;
  /** They are those of another period. */
  readonly isChanging: boolean;
}

/** How the mails of a period fared, as numbers and as plots. */
export function MailStats({ stats, isChanging }: Given): ReactNode {
  const begin = stats?.counts[0]?.from;
  return (
    <Panel
      title="Emails"
      action={
        <Text size="xs" c="dimmed">
          Includes test emails
        </Text>
      }
      flush
    >
      <dl className={classes.totals} data-changing={isChanging || undefined} aria-busy={isChanging || !stats}>
        {SERIES.map((series) => (
          <div key={series.name} className={classes.total}>
            <dt>
              <span className={classes.swatch} style={{ background: series.color }} />
              {begin && series.sends && stats.totals[series.name] > 0 ? (
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
            <dd>{stats ? <Total series={series} totals={stats.totals} /> : <Skeleton h={24} w={60} my={4} />}</dd>
          </div>
        ))}
      </dl>
      <div className={classes.plots} data-changing={isChanging || undefined}>
        {PLOTS.map((plot) => (
          <Figure key={plot.title} {...plot} counted={stats} />
        ))}
      </div>
    </Panel>
  );
}

/** In percent of the mails sent in its time. */
function asShare(counts: Counts<Name>, name: Name): number {
  return counts.sent > 0 ? (100 * counts[name]) / counts.sent : 0;
}

function Total({
  series: { name, of, most, harm },
  totals,
}: {
  readonly series: MailSeries;
  readonly totals: SendStats['totals'];
}): ReactNode {
  // What a suppressed or unsubscribed address does not get is as it should be, and no share of what goes wrong.
  const withheld = name === 'failed' ? totals.withheld : 0;
  const part = totals[name] - withheld;
  const whole = of === 'all' ? totals.sent + part : totals.sent;
  const share = of && whole > 0 ? <Share part={part} whole={whole} most={most} harm={harm} /> : null;
  return (
    <>
      <Text span fz={20} fw={600} lh={1.2}>
        {totals[name].toLocaleString('en')}
      </Text>
      {withheld === 0 ? (
        <> {share}</>
      ) : (
        <Text size="xs" c="dimmed" lh={1.3} component="span" display="block">
          {part === 0 ? 'all' : withheld.toLocaleString('en')} to suppressed or unsubscribed addresses
          {part > 0 ? (
            <>
              , {part.toLocaleString('en')} failed {share}
            </>
          ) : null}
        </Text>
      )}
    </>
  );
}
