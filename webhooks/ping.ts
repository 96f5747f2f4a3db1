import type { WebhookEndpointRow } from '../db/entities/index.ts';
import { eventBody, isTaken } from '../domain/webhooks/delivery.ts';
import { PING_SECONDS, PING_TYPE, TEST_HEADER } from '../domain/webhooks/endpoint.ts';
import { ANSWER_BYTES, type ShownAnswer, shownAnswer } from '../domain/webhooks/shown-answer.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { Logger } from '../platform/logger.ts';
import type { EndpointKeys } from './endpoint-keys.ts';
import { FairSlots } from './fair-slots.ts';
import { callSigned, outcomeOf } from './signed-post.ts';

export interface PingDeps {
  readonly http: SafeHttp;
  readonly keys: EndpointKeys;
  readonly log: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What a person tries out; all of it has a value of a ping where it is omitted. */
export interface TriedEvent {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

export interface PingAnswer {
  readonly delivered: boolean;
  /** null: the request never completed. */
  readonly responseStatus: number | null;
  readonly milliseconds: number;
  /** Why the request never completed; it names no address that the project did not write. */
  readonly error: string | null;
  /** Of a request that completed. It is shown and not kept. */
  readonly response: ShownAnswer | null;
}

/**
 * Calls an endpoint at once, enabled or not, once, and records nothing: neither its deliveries nor what is known of its health change. What is
 * tried out is marked by a header, and told by `webhooks.tested` in the log. Undefined when too many pings are under way.
 */
export type Ping = (endpoint: WebhookEndpointRow, tried?: TriedEvent) => Promise<PingAnswer | undefined>;

/** Of one process, and to one endpoint: an endpoint that hangs holds no more of the API than these. */
const PINGS_AT_ONCE = { total: 40, perEndpoint: 4, mostWaiting: 0 } as const;

export function createPing({ http, keys, log, now, newId }: PingDeps): Ping {
  const slots = new FairSlots(PINGS_AT_ONCE);

  const call = async (endpoint: WebhookEndpointRow, tried: TriedEvent | undefined): Promise<PingAnswer> => {
    const { id, url } = endpoint;
    const at = now();
    const event = { id: newId(), type: tried?.type ?? PING_TYPE, at, data: tried?.data ?? { endpoint_id: id } };
    const answer = await callSigned(http, {
      ...{ url, id: newId(), body: JSON.stringify(eventBody(event)), now: at, timeoutSeconds: PING_SECONDS, answerBytes: ANSWER_BYTES },
      keys: keys({ ...endpoint, endpoint_id: id }, at),
      headers: tried ? { [TEST_HEADER]: 'true' } : {},
    });
    const { milliseconds } = answer;
    if (tried) log.info('webhooks.tested', { endpointId: id, projectId: endpoint.project_id, answered: outcomeOf(answer) });
    if (!answer.ok)
      return { delivered: false, responseStatus: null, milliseconds, error: `${answer.refused}: ${answer.message}`, response: null };
    const response = answer.content ? shownAnswer(answer.content, { withBody: true }) : null;
    return { delivered: isTaken(answer), responseStatus: answer.status, milliseconds, error: null, response };
  };

  return async (endpoint, tried) => {
    const release = slots.tryTake({ endpointId: endpoint.id, projectId: endpoint.project_id });
    if (!release) return undefined;
    try {
      return await call(endpoint, tried);
    } finally {
      release();
    }
  };
}
