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

/** Numbers that are drawn in one color, one for each row. */
export interface Series<Name extends string = string> {
  readonly name: Name;
  readonly label: string;
  readonly color: string;
}
