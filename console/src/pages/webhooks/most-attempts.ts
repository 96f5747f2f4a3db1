/** Of one series of a delivery: docs/contract/webhooks.md 13. No answer of the API tells it; a test holds it to the domain's. */
export const MOST_ATTEMPTS = 6;
