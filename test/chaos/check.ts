import type { Observed, Promised, Violation } from './observed.ts';
import { CAMPAIGN_PROMISES } from './promises/campaigns.ts';
import { ENROLLMENT_PROMISES } from './promises/enrollments.ts';
import { MAIL_PROMISES } from './promises/mails.ts';
import { SCHEDULED_PROMISES } from './promises/scheduled.ts';
import { WEBHOOK_PROMISES } from './promises/webhooks.ts';

export const PROMISES: readonly Promised[] = [
  ...MAIL_PROMISES,
  ...SCHEDULED_PROMISES,
  ...CAMPAIGN_PROMISES,
  ...ENROLLMENT_PROMISES,
  ...WEBHOOK_PROMISES,
];

/** Every case in which a promise was not kept, by what was seen from outside alone. */
export function check(observed: Observed): Violation[] {
  return PROMISES.flatMap(({ promise, find }) => find(observed).map((violation) => ({ promise, ...violation })));
}
