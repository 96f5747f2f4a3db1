import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { PLOT, PLOT_COLORS, PLOT_MARGIN } from '../../show/plot.ts';
import { MOST_BOUNCED, Share } from '../../show/share.tsx';
import { type Campaign, hasEnded, sendsOf, type Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const SERIES = [
  { name: 'opened', label: 'Opened', color: PLOT_COLORS.opened },
  { name: 'clicked', label: 'Clicked', color: PLOT_COLORS.clicked },
  { name: 'unsubscribed', label: 'Unsubscribed', color: PLOT_COLORS.unsubscribed },
];

interface Counted {
  readonly name: 'recipients' | 'sent_count' | 'opened_count' | 'clicked_count' | 'bounced_count' | 'unsubscribed_count';
  readonly label: string;
  /** Told as a share of those sent too. */
  readonly isShare?: boolean;
  /** Above so many percent it is marked. */
  readonly most?: number;
}

const COUNTS: readonly Counted[] = [
  { name: 'recipients', label: 'Recipients' },
  { name: 'sent_count', label: 'Sent' },
  { name: 'opened_count', label: 'Opened', isShare: true },
  { name: 'clicked_count', label: 'Clicked', isShare: true },
  { name: 'bounced_count', label: 'Bounced', isShare: true, most: MOST_BOUNCED },
  { name: 'unsubscribed_count', label: 'Unsubscribed', isShare: true },
];

interface Given {
  readonly campaign: Campaign;
  readonly variants: readonly Variant[];
}

/** Each arm of a test: its shares side by side, its counts, and the way to its mails. */
export function VariantResults({ campaign, variants }: Given): ReactNode {
  const { may } = useSession();
  const rows = variants.map((variant) => ({
    key: variant.key,
    opened: share(variant.opened_count, variant.sent_count),
    clicked: share(variant.clicked_count, variant.sent_count),
    unsubscribed: share(variant.unsubscribed_count, variant.sent_count),
  }));
  const hasReports = rows.some(({ opened, clicked, unsubscribed }) => opened + clicked + unsubscribed > 0);
  return (
    <Panel title="Results by variant" flush>
      {hasReports ? (
        <div className={classes.plot} aria-hidden>
          <BarChart
            h={220}
            data={rows}
            {...PLOT}
            barChartProps={{ accessibilityLayer: false, margin: PLOT_MARGIN }}
            dataKey="key"
            series={SERIES}
            unit=" %"
            withLegend
            legendProps={{ verticalAlign: 'bottom', height: 36, itemSorter: null }}
            barProps={{ isAnimationActive: false, maxBarSize: 36, radius: [3, 3, 0, 0] }}
            yAxisProps={{ width: 48, interval: 0 }}
          />
        </div>
      ) : (
        <Text size="sm" c="dimmed" p="md">
          {hasEnded(campaign) && campaign.sent_count === 0
            ? 'No mail went out.'
            : 'Shares are drawn as soon as the first open, click or unsubscription is reported.'}
        </Text>
      )}
      <Table role="table" aria-label="Results by variant" className={classes.numbers}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row" c="dimmed" fz="xs">
            {['Variant', ...COUNTS.map(({ label }) => label)].map((name) => (
              <Table.Th key={name} role="columnheader" fw={500}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {variants.map((variant) => (
            <Table.Tr key={variant.key} role="row">
              <Table.Th scope="row" role="rowheader" fw={400}>
                <Text size="sm" fw={500}>
                  {variant.key}
                </Text>
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {variant.subject ?? campaign.subject}
                </Text>
                {may('sends:read') && variant.recipients > 0 ? (
                  <Anchor
                    component={Link}
                    href={sendsOf(campaign, { variant: variant.key })}
                    size="xs"
                    aria-label={`Sends of variant ${variant.key}`}
                  >
                    Sends
                  </Anchor>
                ) : null}
              </Table.Th>
              {COUNTS.map(({ name, label, isShare = false, most }) => (
                <Table.Td key={name} role="cell">
                  <Text size="xs" c="dimmed" hiddenFrom="sm" aria-hidden>
                    {label}
                  </Text>
                  {variant[name].toLocaleString('en')}
                  {isShare ? (
                    <div>
                      <Share part={variant[name]} whole={variant.sent_count} most={most} />
                    </div>
                  ) : null}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

/** In percent, to one digit. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}
