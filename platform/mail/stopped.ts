/** What is said of a mail that was stopped before its content was given to a connection. */
export const STOPPED = 'not submitted: it was stopped';

/** The answer about such a mail. */
export const STOPPED_ANSWER = { outcome: 'later', message: STOPPED, wasStopped: true } as const;
