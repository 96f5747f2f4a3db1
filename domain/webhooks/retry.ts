export const RETRY_STATUSES = ['running', 'completed', 'cancelled'] as const;

/** How a retry of all that has failed stands. `cancelled`: its workflow was ended before it had gone through all. */
export type RetryStatus = (typeof RETRY_STATUSES)[number];

/** Counted of what has failed, before people are asked: of more it is said that they are more. */
export const MOST_COUNTED = 100_000;
