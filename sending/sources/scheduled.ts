import { SCHEDULED_GATE } from '../../db/queries/sends/send-gates.ts';
import { OUTAGE_PATIENCE_MS, OUTCOME_UNKNOWN_AFTER_MS, outagePauseMs, outagesIn } from '../../domain/sends/submission-times.ts';
import { scheduledWorkflowId } from '../../workflows/contracts.ts';
import type { MailRequest } from '../request.ts';
import type { Source } from '../source.ts';

/** A mail of POST /send that was to go later, and is due. */
export interface ScheduledRequest extends MailRequest {
  readonly sendId: string;
  /** For how long it has been due. Milliseconds. */
  readonly overdueMs: number;
}

/** What became of it. */
export type ScheduledResult =
  /** It has its row. */
  | { readonly state: 'sent' | 'failed' }
  /** It was cancelled or moved meanwhile. */
  | { readonly state: 'withdrawn' }
  /** The provider, or whoever else is at it, lets it go later. `message`: for operators. */
  | { readonly state: 'later'; readonly message: string; readonly seconds: number };

/** It has the key of its caller, or one that is made of its id: asked for again after a crash it is the same mail. */
export const SCHEDULED_SOURCE: Source<ScheduledRequest, ScheduledResult> = {
  type: 'api',
  gate: SCHEDULED_GATE,
  logsUnsendable: true,
  makesContacts: true,
  traceOf: ({ projectId }) => ({ workflowId: scheduledWorkflowId(projectId) }),
  lines: { settled: 'info', refused: 'debug' },
  settled: ({ outcome }) => ({ state: outcome.status }),
  refused: (_, __, { by }) => ({ state: by === 'ended' ? 'withdrawn' : 'failed' }),
  later({ overdueMs }, { message, shown, retryAfterSeconds }) {
    if (overdueMs >= OUTAGE_PATIENCE_MS)
      return { outcome: { status: 'failed', reason: 'provider_unavailable', message }, result: { state: 'failed' } };
    return { withdrawn: { state: 'later', message: shown, seconds: outagePauseMs(outagesIn(overdueMs), retryAfterSeconds) / 1000 } };
  },
  // Its intent is that of a living process until then.
  untold: (_, shown) => ({ state: 'later', message: shown, seconds: OUTCOME_UNKNOWN_AFTER_MS / 1000 }),
  repeated: {
    inProgress: (seconds) => ({ state: 'later', message: 'an earlier attempt has no outcome yet', seconds }),
    keyTaken: () => ({ state: 'later', message: 'another email has its key', seconds: 1 }),
  },
};
