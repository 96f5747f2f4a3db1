import { errorText, type FailedOutcome, type SendOutcome } from './send.ts';
import { KEY_VALID_MS } from './submission-times.ts';

/** How far a mail came in the process that wrote down what it submitted. */
export type SubmissionState =
  /** It was surely not submitted: not begun, or refused for now. */
  | { readonly state: 'not submitted' }
  /** It was submitted, and what became of it is not known. `provider`: to whom, as far as that is known. */
  | { readonly state: 'unknown'; readonly provider?: string | undefined }
  | { readonly state: 'answered'; readonly outcome: SendOutcome };

/** An intent that may be submitted, or an outcome that it has. */
export type LeftState =
  | { readonly state: 'answered'; readonly outcome: SendOutcome }
  /** Surely never submitted. */
  | { readonly state: 'clean' }
  /** It may have arrived, and goes once more under the same key: the provider makes one mail of it. */
  | { readonly state: 'same key' }
  /** It may have arrived, and must not go again. */
  | { readonly state: 'unknown'; readonly outcome: FailedOutcome };

/**
 * What an intent of a process that has died is (docs/contract/sends.md 15 to 18). `keyAgeMs`: since it was first submitted, if it was.
 * `deduplicates`: whether the provider does, by the key of a mail. The batches of a campaign, settled in SQL, go by the same rule:
 * db/queries/campaigns/campaign-batches.ts.
 */
export function leftState(
  submission: SubmissionState,
  { mayBeSubmitted, keyAgeMs }: { readonly mayBeSubmitted: boolean; readonly keyAgeMs: number },
  deduplicates: boolean,
): LeftState {
  if (submission.state === 'answered') return submission;
  if (submission.state === 'not submitted' && !mayBeSubmitted) return { state: 'clean' };
  if (deduplicates && keyAgeMs < KEY_VALID_MS) return { state: 'same key' };
  return {
    state: 'unknown',
    outcome: submission.state === 'unknown' ? { ...OUTCOME_UNKNOWN, provider: submission.provider } : OUTCOME_UNKNOWN,
  };
}

/** Of a mail whose process died after it had submitted it, or may have. */
export const OUTCOME_UNKNOWN: FailedOutcome = {
  status: 'failed',
  reason: 'outcome_unknown',
  message: 'no answer was recorded after the submission',
};

/** The same as a row has it. */
export const OUTCOME_UNKNOWN_ERROR = errorText(OUTCOME_UNKNOWN.reason, OUTCOME_UNKNOWN.message);

/** Whatever was said of it. */
export function isOutcomeUnknown(outcome: SendOutcome): boolean {
  return outcome.status === 'failed' && outcome.reason === 'outcome_unknown';
}
