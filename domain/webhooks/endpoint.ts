/** Endpoints of one project, disabled ones included. */
export const MOST_ENDPOINTS = 100;

/** docs/contract/webhooks.md 12, 20. */
export const MOST_OVERLAP_HOURS = 72;
export const PING_SECONDS = 10;

/** Sent by the ping route only; nobody subscribes to it. */
export const PING_TYPE = 'webhook.ping';
