/**
 * Colors of what mails led to, one for each, on every page. They are told apart by those who do not tell red from green or blue from yellow, and
 * stand out from the page in both schemes.
 */
export const PLOT_COLORS = {
  sent: '#5b5bd6',
  failed: '#c92f2f',
  opened: '#007a5e',
  clicked: '#3b9ad9',
  bounced: '#cc7a00',
  complained: '#b0458c',
  unsubscribed: '#cc7a00',
} as const;

/** What all plots have. Each tick is told at its line: none is left out or moved to fit. */
export const PLOT = {
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  tooltipAnimationDuration: 0,
  gridColor: 'var(--console-line)',
} as const;

/** Room for half of the highest number, which stands at the highest line. */
export const PLOT_MARGIN = { top: 8 } as const;
