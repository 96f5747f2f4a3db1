/** Endpoints of one project, disabled ones included. */
export const MOST_ENDPOINTS = 100;

/** docs/contract/webhooks.md 12, 20. */
export const MOST_OVERLAP_HOURS = 72;
export const PING_SECONDS = 10;

/** KB of the data of a ping that has its own. */
export const MOST_TRIED_KB = 64;
/** Marks what a person tries out: a receiver may answer it and do nothing. */
export const TEST_HEADER = 'everpost-test';

/** Sent by the ping route only; nobody subscribes to it. */
export const PING_TYPE = 'webhook.ping';
