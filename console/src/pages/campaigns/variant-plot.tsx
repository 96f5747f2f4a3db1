import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import { PLOT, PLOT_COLORS, PLOT_MARGIN } from '../../show/plot.ts';
import type { Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const SERIES = [
  { name: 'opened', label: 'Opened', color: PLOT_COLORS.opened },
  { name: 'clicked', label: 'Clicked', color: PLOT_COLORS.clicked },
  { name: 'unsubscribed', label: 'Unsubscribed', color: PLOT_COLORS.unsubscribed },
];

/** The shares of each arm of a test side by side. */
export function VariantPlot({ variants }: { readonly variants: readonly Variant[] }): ReactNode {
  const rows = variants.map((variant) => ({
    key: variant.key,
    opened: share(variant.opened_count, variant.sent_count),
    clicked: share(variant.clicked_count, variant.sent_count),
    unsubscribed: share(variant.unsubscribed_count, variant.sent_count),
  }));
  return (
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
  );
}

/** Whether any share is more than nothing, as far as it is drawn. */
export function hasShares(variants: readonly Variant[]): boolean {
  return variants.some(
    ({ sent_count: sent, opened_count, clicked_count, unsubscribed_count }) =>
      share(opened_count, sent) + share(clicked_count, sent) + share(unsubscribed_count, sent) > 0,
  );
}

/** In percent, to one digit. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}
