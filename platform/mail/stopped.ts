/** What is said of a mail that was stopped before its content was given to a connection. */
export const STOPPED = 'not submitted: it was stopped';

/** The answer about such a mail. */
export const STOPPED_ANSWER = { outcome: 'later', message: STOPPED, wasStopped: true } as const;
/** What is said of one whose submission the journal could not note. */
export const NOT_NOTED = 'not submitted: it could not be written down that it would be';
/** What is said of one that is not submitted since nobody would wait for the answer. */
export const TOO_SLOW = 'not submitted: the mail server would not have answered in time';
