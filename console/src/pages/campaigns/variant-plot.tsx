import type { ReactNode } from 'react';
import { PLOT_COLORS } from '../../show/plot.ts';
import { GroupedBars } from '../../show/plots.tsx';
import { REPORTED } from './campaign-counts.ts';
import type { Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const SERIES = [
  { name: 'opened_count', label: REPORTED.opened_count.label, color: PLOT_COLORS.opened },
  { name: 'clicked_count', label: REPORTED.clicked_count.label, color: PLOT_COLORS.clicked },
  { name: 'unsubscribed_count', label: REPORTED.unsubscribed_count.label, color: PLOT_COLORS.unsubscribed },
] as const;

/** The shares of each arm of a test side by side. */
export function VariantPlot({ variants }: { readonly variants: readonly Variant[] }): ReactNode {
  const rows = variants.map((variant) => ({
    key: variant.key,
    when: variant.key,
    drawn: {
      opened_count: share(variant.opened_count, variant.sent_count),
      clicked_count: share(variant.clicked_count, variant.sent_count),
      unsubscribed_count: share(variant.unsubscribed_count, variant.sent_count),
    },
  }));
  return (
    <div className={classes.plot} aria-hidden>
      <GroupedBars rows={rows} series={SERIES} isInPercent hasLegend />
    </div>
  );
}

/** Whether any share is more than nothing, as far as it is drawn. */
export function hasShares(variants: readonly Variant[]): boolean {
  return variants.some((variant) => SERIES.some(({ name }) => share(variant[name], variant.sent_count) > 0));
}

/** In percent, to one digit. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}
