import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { percent, type Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const SERIES = [
  { name: 'opened', label: 'Opened', color: 'iris.6' },
  { name: 'clicked', label: 'Clicked', color: 'teal.6' },
  { name: 'unsubscribed', label: 'Unsubscribed', color: 'orange.6' },
];

interface Counted {
  readonly name: 'recipients' | 'sent_count' | 'opened_count' | 'clicked_count' | 'bounced_count' | 'unsubscribed_count';
  readonly label: string;
  /** Told as a share of those sent too. */
  readonly isShare?: boolean;
}

const COUNTS: readonly Counted[] = [
  { name: 'recipients', label: 'Recipients' },
  { name: 'sent_count', label: 'Sent' },
  { name: 'opened_count', label: 'Opened', isShare: true },
  { name: 'clicked_count', label: 'Clicked', isShare: true },
  { name: 'bounced_count', label: 'Bounced', isShare: true },
  { name: 'unsubscribed_count', label: 'Unsubscribed', isShare: true },
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
                <Text size="xs" c="dimmed" lineClamp={2} title={variant.subject ?? subject}>
                  {variant.subject ?? subject}
                </Text>
              </Table.Th>
              {COUNTS.map(({ name, label, isShare = false }) => (
                <Table.Td key={name} role="cell">
                  <Text size="xs" c="dimmed" hiddenFrom="sm" aria-hidden>
                    {label}
                  </Text>
                  {variant[name].toLocaleString('en')}
                  {isShare ? (
                    <Text size="xs" c="dimmed">
                      {percent(variant[name], variant.sent_count)}
                    </Text>
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
