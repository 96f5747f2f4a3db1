/**
 * How long things are kept that grow with every day, in milliseconds. The send log stays for good. Descriptions of the API are made from these;
 * test/docs/kept-for.test.ts has the pages that repeat them.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A stored answer is given again so long: docs/contract/idempotency.md 8. */
export const ANSWERS_KEPT_MS = 24 * HOUR_MS;
/** Product events, for conditions on them; longer when an active enrollment shows one: docs/contract/events.md 5. */
export const EVENTS_KEPT_MS = 90 * DAY_MS;
/** From the last hit of a link on: docs/contract/unsubscribe.md 19. */
export const HITS_KEPT_MS = 90 * DAY_MS;
/** Reports of providers, as long as product events and longer than any provider tells one again: docs/contract/inbound.md 5. */
export const REPORTS_KEPT_MS = EVENTS_KEPT_MS;
/** Reports about sends that nobody knows, by then a submission has long been recorded: docs/contract/inbound.md 6. */
export const FOREIGN_REPORTS_KEPT_MS = DAY_MS;
/** Deliveries, from their last attempt on, with the outgoing events that no other delivery has; never one that is pending: docs/contract/webhooks.md 25. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** A listener by whom nobody asks any more: far longer than it is heard. */
export const LISTENERS_KEPT_MS = HOUR_MS;
/** Attempts whose delivery is gone: far longer than one takes. */
export const ATTEMPTS_KEPT_MS = DAY_MS;
/** The trace of an enrollment, from its end on; the enrollment itself stays, for sequences that are entered once only. */
export const TRACES_KEPT_MS = 365 * DAY_MS;
/** Whom campaigns left out, as long as what sequences did: docs/contract/campaigns.md 41. */
export const LEFT_OUT_KEPT_MS = TRACES_KEPT_MS;
/** Who was due by a date: longer than a changed time, zone or rule may have somebody be due once more for the same date. */
export const DATE_ENTRIES_KEPT_MS = 8 * DAY_MS;
/** When runs passed a throttle: as long as the longest window. */
export const THROTTLE_PASSES_KEPT_MS = 365 * DAY_MS;
/** Counts of mails by sending domain and receiver: longer than the longest period that they are read by. */
export const REPUTATION_KEPT_MS = 35 * DAY_MS;
/** Imports, with the rows that they refused: docs/contract/contacts.md 51. */
export const IMPORTS_KEPT_MS = 30 * DAY_MS;
/** An uploaded file, from its last use on: docs/contract/files.md 6. */
export const UPLOADS_KEPT_MS = 365 * DAY_MS;
