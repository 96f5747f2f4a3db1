/** How long things are kept that grow with every day, in milliseconds: docs/contract/events.md 5, docs/contract/inbound.md 5, docs/contract/idempotency.md 8. The send log stays for good. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A stored answer is given again so long. */
export const ANSWERS_KEPT_MS = 24 * HOUR_MS;
/** Product events, for conditions on them; longer when an active enrollment shows one. */
export const EVENTS_KEPT_MS = 90 * DAY_MS;
/** From the last hit of a link on. */
export const HITS_KEPT_MS = 90 * DAY_MS;
/** Reports of providers: longer than any provider tells an event again, and as long as product events are kept. */
export const REPORTS_KEPT_MS = 90 * DAY_MS;
/** Reports about sends that nobody knows: by then a submission has long been recorded. */
export const FOREIGN_REPORTS_KEPT_MS = DAY_MS;
/** Deliveries, from their last attempt on, with the outgoing events that no other delivery has; never one that is pending. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** Attempts whose delivery is gone: far longer than one takes. */
export const ATTEMPTS_KEPT_MS = DAY_MS;
/** The trace of an enrollment, from its end on; the enrollment itself stays, for sequences that are entered once only. */
export const TRACES_KEPT_MS = 365 * DAY_MS;
