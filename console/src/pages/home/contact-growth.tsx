import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PLOT_COLORS, type Series } from '../../show/plot.ts';
import classes from './home.module.css';
import { type ContactGrowthCounts, growthQuery, type Period } from './home-queries.ts';
import { type Counts, Figure } from './plots.tsx';

type Name = Exclude<keyof ContactGrowthCounts, 'from'>;

/** Who came stands above the axis, who was lost below it. */
const SERIES: readonly (Series<Name> & { readonly isLost: boolean })[] = [
  { name: 'made', label: 'New', color: PLOT_COLORS.sent, isLost: false },
  { name: 'resubscribed', label: 'Resubscribed', color: PLOT_COLORS.opened, isLost: false },
  { name: 'unsubscribed', label: 'Unsubscribed', color: PLOT_COLORS.unsubscribed, isLost: true },
  { name: 'bounced', label: 'Bounced', color: PLOT_COLORS.complained, isLost: true },
  { name: 'erased', label: 'Erased', color: PLOT_COLORS.failed, isLost: true },
];

const LOST = SERIES.filter(({ isLost }) => isLost).map(({ name }) => name);

function drawn(counts: Counts<Name>, name: Name): number {
  return LOST.includes(name) ? -counts[name] : counts[name];
}

/** How many contacts there are, and how many came and went in a period. */
export function ContactGrowth({ period }: { readonly period: Period }): ReactNode {
  const { data, error, isPlaceholderData, refetch } = useQuery(growthQuery(period));
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  const isChanging = isPlaceholderData || undefined;
  const numbers = [
    { label: 'Subscribed now', count: data?.contacts.subscribed, of: data?.contacts.all },
    ...SERIES.map(({ name, label, color }) => ({ label, color, count: data?.totals[name] })),
  ];
  return (
    <Panel title="Contacts" flush>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <dl className={classes.totals} data-changing={isChanging} aria-busy={isPlaceholderData || !data}>
        {numbers.map((number) => (
          <Count key={number.label} {...number} />
        ))}
      </dl>
      <div data-changing={isChanging}>
        <Figure title="Contacts added and lost" series={SERIES} counted={data} drawn={drawn} none="No changes" plot="bars" />
      </div>
    </Panel>
  );
}

interface CountGiven {
  readonly label: string;
  readonly color?: string;
  /** undefined while it is read. */
  readonly count: number | undefined;
  /** What it is a part of. */
  readonly of?: number | undefined;
}

function Count({ label, color, count, of }: CountGiven): ReactNode {
  return (
    <div className={classes.total}>
      <dt>
        {color ? <span className={classes.swatch} style={{ background: color }} /> : null}
        {label}
      </dt>
      <dd>
        {count === undefined ? (
          <Skeleton h={24} w={60} my={4} />
        ) : (
          <>
            <Text span fz={20} fw={600} lh={1.2}>
              {count.toLocaleString('en')}
            </Text>
            {of === undefined ? null : (
              <Text span size="xs" c="dimmed">
                {' '}
                of {of.toLocaleString('en')}
              </Text>
            )}
          </>
        )}
      </dd>
    </div>
  );
}
