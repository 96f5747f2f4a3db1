import { PLOT } from '../../show/plot.ts';

/** A number of each hour or day. */
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const inPercent = (share: number): string => `${PERCENT.format(share)} %`;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });
export const HEIGHT = 210;
/** So many labels of hours or days fit below a plot beside others, and on a phone. */
const MOST_LABELS = { wide: 6, narrow: 5 };

/** What all plots have, so that their days stand below each other. */
export function sharedBy(rows: readonly unknown[], isNarrow: boolean, isInPercent: boolean) {
  const most = isNarrow ? MOST_LABELS.narrow : MOST_LABELS.wide;
  return {
    ...PLOT,
    h: HEIGHT,
    dataKey: 'when',
    yAxisProps: {
      ...{ width: isInPercent ? 48 : 40, allowDecimals: isInPercent, interval: 0 },
      tickFormatter: isInPercent ? inPercent : (count: number) => COMPACT.format(count),
    },
    valueFormatter: isInPercent ? inPercent : (count: number) => count.toLocaleString('en'),
    xAxisProps: { interval: Math.ceil(rows.length / most) - 1 },
  } as const;
}

/** What a plot is drawn from. */
export type PlotProps = ReturnType<typeof sharedBy> & { readonly data: Record<string, unknown>[]; readonly series: Series[] };
