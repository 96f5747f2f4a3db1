/** What is said of a mail that was stopped before its content was given to a connection. */
export const STOPPED = 'not handed over: it was stopped';
