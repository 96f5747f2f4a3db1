import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { percent, type Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const SERIES = [
  { name: 'opened', label: 'Opened', color: 'iris.6' },
  { name: 'clicked', label: 'Clicked', color: 'teal.6' },
  { name: 'unsubscribed', label: 'Unsubscribed', color: 'orange.6' },
];

/** Each arm of a test: its shares side by side, and its counts. `subject`: of arms that have none of their own. */
export function VariantResults({ variants, subject }: { readonly variants: readonly Variant[]; readonly subject: string }): ReactNode {
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
            barChartProps={{ accessibilityLayer: false }}
            dataKey="key"
            series={SERIES}
            unit=" %"
            gridAxis="x"
            tickLine="none"
            strokeDasharray="0"
            withLegend
            legendProps={{ verticalAlign: 'bottom', height: 32, itemSorter: null }}
            gridColor="var(--console-line)"
            tooltipAnimationDuration={0}
            barProps={{ isAnimationActive: false, maxBarSize: 36, radius: [3, 3, 0, 0] }}
            yAxisProps={{ width: 48 }}
          />
        </div>
      ) : (
        <Text size="sm" c="dimmed" p="md">
          Shares are drawn as soon as the first open, click or unsubscription is reported.
        </Text>
      )}
      <Box className={classes.numbers} role="region" aria-label="Counts by variant" tabIndex={0}>
        <Table aria-label="Results by variant" miw={620}>
          <Table.Thead>
            <Table.Tr c="dimmed" fz="xs">
              <Table.Th pl="md" fw={500}>
                Variant
              </Table.Th>
              {['Recipients', 'Sent', 'Opened', 'Clicked', 'Bounced', 'Unsubscribed'].map((name) => (
                <Table.Th key={name} ta="right" fw={500} pr={name === 'Unsubscribed' ? 'md' : undefined}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map((variant) => (
              <Table.Tr key={variant.key}>
                <Table.Th scope="row" pl="md" fw={400}>
                  <Text size="sm" fw={500}>
                    {variant.key}
                  </Text>
                  <Text size="xs" c="dimmed" lineClamp={2}>
                    {variant.subject ?? subject}
                  </Text>
                </Table.Th>
                <Table.Td ta="right">{variant.recipients.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{variant.sent_count.toLocaleString('en')}</Table.Td>
                <Share count={variant.opened_count} whole={variant.sent_count} />
                <Share count={variant.clicked_count} whole={variant.sent_count} />
                <Share count={variant.bounced_count} whole={variant.sent_count} />
                <Share count={variant.unsubscribed_count} whole={variant.sent_count} isLast />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </Panel>
  );
}

interface ShareGiven {
  readonly count: number;
  readonly whole: number;
  readonly isLast?: boolean;
}

function Share({ count, whole, isLast = false }: ShareGiven): ReactNode {
  return (
    <Table.Td ta="right" pr={isLast ? 'md' : undefined}>
      {count.toLocaleString('en')}
      <Text size="xs" c="dimmed">
        {percent(count, whole)}
      </Text>
    </Table.Td>
  );
}

/** In percent, to one digit. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}
