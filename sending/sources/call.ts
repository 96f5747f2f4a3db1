import type { RecipientRefusal } from '../../db/queries/sends/gate-verdict.ts';
import { API_GATE, TEST_GATE } from '../../db/queries/sends/send-gates.ts';
import type { SendFailure } from '../../domain/sends/send.ts';
import type { MailRequest } from '../request.ts';
import type { Source } from '../source.ts';

/** What a mail came to whose caller waits for the provider's answer. */
export type CallResult =
  | {
      readonly state: 'sent';
      readonly sendId: string;
      readonly providerId: string | undefined;
      readonly missing: readonly string[];
      readonly replayed: boolean;
    }
  | {
      readonly state: 'failed';
      readonly sendId: string;
      readonly reason: SendFailure;
      readonly message: string;
      readonly replayed: boolean;
    }
  /** Surely not accepted, and it may pass: the row says so, and the key is free again. */
  | { readonly state: 'unavailable'; readonly message: string; readonly retryAfterSeconds: number };

/** What a call comes to whose key was used before. */
export type KeyedResult =
  | CallResult
  | { readonly state: 'in_progress'; readonly retryAfterSeconds: number }
  /** It waits for its time: it was asked for outside of a send window, or by a call that names an instant. */
  | { readonly state: 'waiting'; readonly id: string; readonly dueAt: Date }
  | { readonly state: 'key_reused' };

/** When the provider does not say how long it will be away. */
const RETRY_LATER_SECONDS = 30;

const ANSWERS: Pick<Source<MailRequest, CallResult>, 'traceOf' | 'lines' | 'settled' | 'refused' | 'later'> = {
  traceOf: ({ caller }) => ({ requestId: caller?.requestId }),
  lines: { settled: 'info', refused: 'info' },
  settled: ({ sendId, outcome, missing, replayed }) =>
    outcome.status === 'sent'
      ? { state: 'sent', sendId, providerId: outcome.providerId, missing, replayed }
      : { state: 'failed', sendId, reason: outcome.reason, message: outcome.message, replayed },
  refused: (_, sendId, { by }) => ({ state: 'failed', sendId, reason: by as RecipientRefusal, message: '', replayed: false }),
  later: (_, { message, retryAfterSeconds = RETRY_LATER_SECONDS }) => ({
    outcome: { status: 'failed', reason: 'provider_unavailable', message },
    result: { state: 'unavailable', message, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) },
  }),
};

/** POST /send. */
export const API_SOURCE: Source<MailRequest, KeyedResult> = {
  ...ANSWERS,
  type: 'api',
  gate: API_GATE,
  logsUnsendable: false,
  makesContacts: true,
  repeated: {
    inProgress: (retryAfterSeconds) => ({ state: 'in_progress', retryAfterSeconds }),
    keyReused: () => ({ state: 'key_reused' }),
    waits: ({ id, due_at }) => ({ state: 'waiting', id, dueAt: due_at }),
  },
};

/** The mail of a step that people let go again: docs/contract/sends.md 21. Its run does not move, and nothing holds it but its recipient. */
export const STEP_AGAIN_SOURCE: Source<MailRequest, CallResult> = {
  ...ANSWERS,
  type: 'sequence',
  gate: API_GATE,
  logsUnsendable: false,
  makesContacts: false,
  repeated: null,
};

/** The test route. */
export const TEST_SOURCE: Source<MailRequest, CallResult> = {
  ...ANSWERS,
  type: 'test',
  gate: TEST_GATE,
  logsUnsendable: false,
  makesContacts: false,
  repeated: null,
};
