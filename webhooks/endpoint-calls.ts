import type { FoundDelivery } from '../db/queries/webhooks/webhook-attempts.ts';
import { storable } from '../domain/storable-text.ts';
import { ATTEMPT_SECONDS, type AttemptAnswer, eventBody, isTaken } from '../domain/webhooks/delivery.ts';
import { ANSWER_BYTES, type ShownAnswer, shownAnswer } from '../domain/webhooks/shown-answer.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { EndpointKeys } from './endpoint-keys.ts';
import { createFailingEndpoints } from './failing-endpoints.ts';
import { callSigned, outcomeOf } from './signed-post.ts';

export interface EndpointCallsDeps {
  readonly http: SafeHttp;
  readonly keys: EndpointKeys;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'webhookAttempted'>;
  readonly now: () => Date;
}

/** What a call has come to. */
export interface Called {
  readonly answer: AttemptAnswer;
  readonly milliseconds: number;
  /** What is kept of it beside that. */
  readonly kept?: ShownAnswer | undefined;
}

const UNSIGNED: Called = {
  answer: { status: null, error: 'the request could not be signed: the secret of the endpoint cannot be opened' },
  milliseconds: 0,
};

/** The call of an attempt that has begun: signed, made, counted, and noted where the endpoint begins to fail or recovers. Never throws. */
export function createEndpointCalls({ http, keys, log, metrics, now }: EndpointCallsDeps): (begun: FoundDelivery) => Promise<Called> {
  const noteAttempt = createFailingEndpoints(log, now);

  const call = async ({ url, event_id, event_type, event_data, event_at, ...found }: FoundDelivery): Promise<Called> => {
    const body = JSON.stringify(eventBody({ id: event_id, type: event_type, at: event_at, data: event_data }));
    const at = now();
    const answer = await callSigned(http, {
      ...{ url, keys: keys(found, at), id: found.id, body, now: at, timeoutSeconds: ATTEMPT_SECONDS, keepFor: found.project_id },
      answerBytes: found.keep_answers ? ANSWER_BYTES : 0,
    });
    const { milliseconds } = answer;
    metrics.webhookAttempted(outcomeOf(answer), milliseconds / 1000);
    const ended: AttemptAnswer = answer.ok
      ? { status: answer.status, retryAfterSeconds: answer.retryAfterSeconds }
      : { status: null, error: storable(`${answer.refused}: ${answer.message}`) };
    const { endpoint_id: endpointId, project_id: projectId } = found;
    noteAttempt({ endpointId, projectId, url, answered: answer.ok ? answer.status : answer.refused, isTaken: isTaken(ended) });
    const isKept = found.keep_answers || !isTaken(ended);
    const kept = isKept && answer.ok && answer.content ? shownAnswer(answer.content, { withBody: found.keep_answers }) : undefined;
    return { answer: ended, milliseconds, kept };
  };

  // Whatever goes wrong here is known before the endpoint was called, and would go wrong again.
  return (begun) =>
    call(begun).catch((error: unknown) => {
      log.error('webhooks.attempt_failed', { deliveryId: begun.id, error });
      return UNSIGNED;
    });
}
