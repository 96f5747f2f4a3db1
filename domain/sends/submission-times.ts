/**
 * How long a submission takes, and everything that waits for one: the API's cancellations, the workflow's activity, a worker's stop, the
 * search for mails of unknown outcome. Whoever needs such a number takes it from here, so that no two disagree. Milliseconds.
 */

/** docs/contract/sends.md 12: at most three tries in all, which begin within 10 s. */
export const SUBMISSION_TRIES = 3;
export const TRIES_BEGIN_WITHIN_MS = 10_000;
/** Before the second and the third try, when the provider does not say how long to wait. */
export const PAUSES_BEFORE_TRIES_MS: readonly number[] = [400, 1_200];

/** One try, waiting for a free connection included. */
export const ONE_TRY_MS = 10_000;

/** What a mail with attachments may take longer, by its octets on the wire: 10 Mbit a second are enough for it. */
export function attachmentsMs(octets: number): number {
  return Math.ceil(octets / OCTETS_A_MS);
}
const OCTETS_A_MS = 1_250;
/** Above any mail with its attachments (domain/sends/attachments.ts), line ends and header included. */
export const MOST_ATTACHMENTS_MS = attachmentsMs(28 * 1024 * 1024);

/** The last moment at which a mail can be submitted after its intent was opened: docs/contract/sends.md 12. */
export const SUBMISSION_MS = TRIES_BEGIN_WITHIN_MS + ONE_TRY_MS;

/** What must be exact waits this long for a mail in flight; an intent that is older belongs to a process that has died. */
export const IN_FLIGHT_MS = SUBMISSION_MS + 2_000;
/** The same for one with attachments. It has to be less than OUTCOME_UNKNOWN_AFTER_MS. */
export const IN_FLIGHT_WITH_ATTACHMENTS_MS = IN_FLIGHT_MS + MOST_ATTACHMENTS_MS;

/** An attempt of the workflow's activity: longer than a submission with its statements, so that a worker that died is found out soon. */
export const SEND_ACTIVITY_MS = SUBMISSION_MS + 10_000;

/** A stopping worker lets sends end; none minds a cancellation that comes after this. */
export const STOP_GRACE_MS = SUBMISSION_MS - 5_000;
/** Then the process ends, whatever is still under way. */
export const STOP_FORCE_MS = SUBMISSION_MS + 5_000;

/** After this long an intent without an outcome is settled, and its outcome is unknown unless a journal has it: docs/contract/sends.md 15. */
export const OUTCOME_UNKNOWN_AFTER_MS = 60_000;
/** Whoever may settle it by a retry has had its chance by then. */
export const SETTLED_AFTER_MS = OUTCOME_UNKNOWN_AFTER_MS + 30_000;
/** A provider that deduplicates keeps a key for a day (Resend); an hour before that it is not relied on any more. */
export const KEY_VALID_MS = 23 * 3_600_000;

/** A provider outage is waited out this long: docs/contract/campaigns.md 18, docs/contract/events.md 20. */
export const OUTAGE_PATIENCE_MS = 3 * 86_400_000;

/** How long a step waits for a place under the frequency cap, from when it first met it: docs/contract/sequences.md 27. */
export const CAP_PATIENCE_MS = 72 * 3_600_000;

const FIRST_OUTAGE_PAUSE_MS = 5_000;
const LONGEST_OUTAGE_PAUSE_MS = 300_000;

/** Growing pauses while the provider is away: 5 s, 10 s, 20 s … at most 5 minutes, or what the provider asks for. `outages`: those in a row before. */
export function outagePauseMs(outages: number, retryAfterSeconds = 0): number {
  const growing = FIRST_OUTAGE_PAUSE_MS * 2 ** Math.min(outages, 10);
  return Math.min(LONGEST_OUTAGE_PAUSE_MS, Math.max(growing, retryAfterSeconds * 1000));
}

/** How often in a row a mail that has been due for so long would have been tried, with the pauses of an outage. */
export function outagesIn(overdueMs: number): number {
  return Math.floor(Math.log2(1 + overdueMs / outagePauseMs(0)));
}
