import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { PLOT_COLORS } from '../../show/plot.ts';
import type { Series } from '../../show/plot-over-time.ts';
import classes from './home.module.css';
import { type ContactGrowthCounts, growthQuery, type Period } from './home-queries.ts';
import { Figure, type Row } from './plots.tsx';

/** Who came stands above the axis, who was lost below it. */
const SERIES: readonly (Series & { readonly name: Exclude<keyof ContactGrowthCounts, 'from'>; readonly isLost: boolean })[] = [
  { name: 'made', label: 'New', color: PLOT_COLORS.sent, isLost: false },
  { name: 'resubscribed', label: 'Resubscribed', color: PLOT_COLORS.opened, isLost: false },
  { name: 'unsubscribed', label: 'Unsubscribed', color: PLOT_COLORS.unsubscribed, isLost: true },
  { name: 'bounced', label: 'Bounced', color: PLOT_COLORS.complained, isLost: true },
  { name: 'erased', label: 'Erased', color: PLOT_COLORS.failed, isLost: true },
];

function drawn(row: Row<ContactGrowthCounts>): Record<string, unknown> {
  return { when: row.when, ...Object.fromEntries(SERIES.map(({ name, isLost }) => [name, isLost ? -row[name] : row[name]])) };
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
