import type { GateVerdict } from '../../db/queries/sends/gate-verdict.ts';
import { STEP_GATE } from '../../db/queries/sends/send-gates.ts';
import type { SendIdentity } from '../../db/queries/sends/send-intents.ts';
import type { SendFailure } from '../../domain/sends/send.ts';
import {
  CAP_PATIENCE_MS,
  IN_FLIGHT_MS,
  OUTAGE_PATIENCE_MS,
  OUTCOME_UNKNOWN_AFTER_MS,
  outagePauseMs,
} from '../../domain/sends/submission-times.ts';
import type { HoldReason } from '../../domain/sequences/waiting-for.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import type { MailRequest } from '../request.ts';
import type { Source } from '../source.ts';

/** The mail of one visit of a run to a node. */
export interface StepRequest extends MailRequest {
  readonly identity: Extract<SendIdentity, { by: 'visit' }>;
  /** By PostgreSQL's clock. */
  readonly now: Date;
  /** How often in a row the provider was away. */
  readonly outages: number;
  /** How long outages held this step up so far. */
  readonly outageMs: number;
  /** When it first met the frequency cap; null when it never did. */
  readonly cappedAt: Date | null;
}

/** What the mail of a step came to. */
export type StepResult =
  | { readonly state: 'sent'; readonly sendId: string }
  /** Passed over without a row: docs/contract/sequences.md 27, docs/contract/events.md 18. */
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: SendFailure; readonly message: string }
  /** May not go on now; `until`: when it may by itself, null when only a change can let it. `message`: what it waits for, for operators. */
  | { readonly state: 'held'; readonly by: HoldReason; readonly until: Date | null; readonly message?: string }
  /** May not go on any more. */
  | { readonly state: 'ended' }
  /** An earlier attempt has no outcome yet. */
  | { readonly state: 'in_progress'; readonly retryAfterSeconds: number };

export const STEP_SOURCE: Source<StepRequest, StepResult> = {
  type: 'sequence',
  gate: STEP_GATE,
  logsUnsendable: true,
  makesContacts: false,
  traceOf: ({ identity }) => ({ workflowId: enrollmentWorkflowId(identity.enrollmentId) }),
  lines: { settled: 'info', refused: 'debug' },
  settled: ({ sendId, outcome }) =>
    outcome.status === 'sent' ? { state: 'sent', sendId } : { state: 'failed', reason: outcome.reason, message: outcome.message },
  refused(request, _, verdict) {
    if (verdict.by === 'ended') return { state: 'ended' };
    if (verdict.by === 'held') return { state: 'held', by: verdict.reason, until: null };
    if (verdict.by === 'send_window') return closed(request);
    if (verdict.by === 'frequency_cap') return capped(request, verdict);
    return { state: 'skipped', reason: verdict.by };
  },
  later: (request, away) => {
    const { message, shown } = away;
    const reason = 'provider_unavailable';
    if (request.outageMs >= OUTAGE_PATIENCE_MS)
      return { outcome: { status: 'failed', reason, message }, result: { state: 'failed', reason, message } };
    return { withdrawn: heldByProvider(request, outagePauseMs(request.outages, away.retryAfterSeconds), shown) };
  },
  // Its intent is that of a living process until then.
  untold: (request, shown) => heldByProvider(request, Math.max(OUTCOME_UNKNOWN_AFTER_MS, outagePauseMs(request.outages)), shown),
  repeated: {
    inProgress: (retryAfterSeconds) => ({ state: 'in_progress', retryAfterSeconds }),
  },
  isForNow: ({ by }) => by === 'held' || by === 'send_window' || by === 'frequency_cap',
};

function heldByProvider({ now }: StepRequest, pauseMs: number, message: string): Extract<StepResult, { state: 'held' }> {
  return { state: 'held', by: 'provider_unavailable', until: new Date(now.getTime() + pauseMs), message };
}

/** Until it opens; one that has closed since it was read is read again at once. */
function closed({ window, now }: StepRequest): StepResult {
  const until = window && window.opensAt > now ? window.opensAt : now;
  return { state: 'held', by: 'send_window', until, ...(window && { message: window.words }) };
}

/** A step over the cap waits until the mail in the way leaves the window, or until one that is still in flight has its outcome. */
function capped({ cappedAt, now }: StepRequest, { freesAtMs, isInFlight }: Extract<GateVerdict, { by: 'frequency_cap' }>): StepResult {
  const patience = (cappedAt ?? now).getTime() + CAP_PATIENCE_MS;
  if (now.getTime() >= patience) return { state: 'skipped', reason: 'frequency_cap' };
  const freesAt = isInFlight ? now.getTime() + IN_FLIGHT_MS : freesAtMs;
  return { state: 'held', by: 'frequency_cap', until: new Date(Math.min(freesAt, patience)) };
}
