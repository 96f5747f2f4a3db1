import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart, type LineChartProps } from '@mantine/charts';
import type { ReactNode } from 'react';
import { PLOT_MARGIN } from './plot.ts';
import type { PlotProps } from './plot-over-time.ts';

/** Bars on top of each other; what is below zero hangs from it. */
export function Bars(props: PlotProps): ReactNode {
  return (
    <BarChart
      {...props}
      type="stacked"
      barProps={{ isAnimationActive: false, maxBarSize: 26 }}
      barChartProps={{ accessibilityLayer: false, margin: PLOT_MARGIN, stackOffset: 'sign' }}
    />
  );
}

export function Lines(props: PlotProps & Pick<LineChartProps, 'withLegend' | 'legendProps' | 'withDots'>): ReactNode {
  return (
    <LineChart
      {...props}
      // Points stand in the middle of their day, as bars do.
      xAxisProps={{ ...props.xAxisProps, padding: { left: 22, right: 22 } }}
      curveType="linear"
      dotProps={{ r: 2.5 }}
      lineProps={{ isAnimationActive: false }}
      lineChartProps={{ accessibilityLayer: false, margin: PLOT_MARGIN }}
    />
  );
}
