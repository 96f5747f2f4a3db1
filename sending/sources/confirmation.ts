import { CONFIRMATION_GATE } from '../../db/queries/sends/send-gates.ts';
import type { SendFailure } from '../../domain/sends/send.ts';
import { OUTAGE_PATIENCE_MS, OUTCOME_UNKNOWN_AFTER_MS, outagePauseMs, outagesIn } from '../../domain/sends/submission-times.ts';
import { confirmationWorkflowId } from '../../workflows/contracts.ts';
import type { MailRequest } from '../request.ts';
import type { Source } from '../source.ts';

/** The mail that asks somebody who signed up, or a reminder. */
export interface ConfirmationRequest extends MailRequest {
  /** The confirmation's id. */
  readonly sourceId: string;
  /** For how long it has been due. Milliseconds. */
  readonly overdueMs: number;
}

/** What became of it. */
export type ConfirmationResult =
  /** It has its row. */
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly reason: SendFailure }
  /** The confirmation waits no more. */
  | { readonly state: 'withdrawn' }
  /** The provider, or whoever else is at it, lets it go later. `message`: for operators. */
  | { readonly state: 'later'; readonly message: string; readonly seconds: number };

/** Its key is made of its confirmation and its number: asked for again after a crash it is the same mail. */
export const CONFIRMATION_SOURCE: Source<ConfirmationRequest, ConfirmationResult> = {
  type: 'confirmation',
  gate: CONFIRMATION_GATE,
  logsUnsendable: false,
  makesContacts: false,
  traceOf: ({ sourceId }) => ({ workflowId: confirmationWorkflowId(sourceId) }),
  lines: { settled: 'info', refused: 'info' },
  settled: ({ outcome }) => (outcome.status === 'sent' ? { state: 'sent' } : { state: 'failed', reason: outcome.reason }),
  refused: (_, __, { by }) => (by === 'ended' || by === 'erased' ? { state: 'withdrawn' } : { state: 'failed', reason: by as SendFailure }),
  later({ overdueMs }, { message, shown, retryAfterSeconds }) {
    const reason = 'provider_unavailable';
    if (overdueMs >= OUTAGE_PATIENCE_MS) return { outcome: { status: 'failed', reason, message }, result: { state: 'failed', reason } };
    return { withdrawn: { state: 'later', message: shown, seconds: outagePauseMs(outagesIn(overdueMs), retryAfterSeconds) / 1000 } };
  },
  // Its intent is that of a living process until then.
  untold: (_, shown) => ({ state: 'later', message: shown, seconds: OUTCOME_UNKNOWN_AFTER_MS / 1000 }),
  repeated: {
    inProgress: (seconds) => ({ state: 'later', message: 'an earlier attempt has no outcome yet', seconds }),
  },
};
