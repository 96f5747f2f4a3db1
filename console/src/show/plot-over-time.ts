import { PLOT } from './plot.ts';

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

/** What all plots over hours or days have, so that these stand below each other. `mostLabels`: so many fit below it. */
export function sharedBy(rows: readonly unknown[], { mostLabels, isInPercent = false }: { mostLabels: number; isInPercent?: boolean }) {
  return {
    ...PLOT,
    h: HEIGHT,
    dataKey: 'when',
    yAxisProps: {
      ...{ width: isInPercent ? 48 : 40, allowDecimals: isInPercent, interval: 0 },
      tickFormatter: isInPercent ? inPercent : (count: number) => COMPACT.format(count),
    },
    valueFormatter: isInPercent ? inPercent : (count: number) => count.toLocaleString('en'),
    xAxisProps: { interval: Math.ceil(rows.length / mostLabels) - 1 },
  } as const;
}

/** What a plot is drawn from. */
export type PlotProps = ReturnType<typeof sharedBy> & { readonly data: Record<string, unknown>[]; readonly series: Series[] };
