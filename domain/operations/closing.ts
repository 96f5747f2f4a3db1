/** How a workflow has closed. */
export type Closing = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';

/**
 * With which reason an enrollment or a campaign ends whose workflow closed without it: docs/contract/temporal.md 8. A completed one has an open row
 * only where the database was restored from an older backup; it is not started again, since it would send again.
 */
export const REASON_OF_CLOSING = {
  completed: 'terminated',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'terminated',
  timed_out: 'failed',
} as const satisfies Record<Closing, string>;
