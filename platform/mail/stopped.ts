/** What is said of a mail that was stopped before a connection was free for it. */
export const STOPPED = 'not handed over: it was stopped';
