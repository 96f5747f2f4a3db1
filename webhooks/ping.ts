import type { WebhookEndpointRow } from '../db/entities/index.ts';
import { eventBody, isTaken } from '../domain/webhooks/delivery.ts';
import { PING_SECONDS, PING_TYPE } from '../domain/webhooks/endpoint.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { EndpointKeys } from './endpoint-keys.ts';
import { FairSlots } from './fair-slots.ts';
import { callSigned } from './signed-post.ts';

export interface PingDeps {
  readonly http: SafeHttp;
  readonly keys: EndpointKeys;
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface PingAnswer {
  readonly delivered: boolean;
  /** null: the request never completed. */
  readonly responseStatus: number | null;
}

/** Calls an endpoint at once, enabled or not, and records nothing. Undefined when too many pings are under way. */
export type Ping = (endpoint: WebhookEndpointRow) => Promise<PingAnswer | undefined>;

/** Of one process, and to one endpoint: an endpoint that hangs holds no more of the API than these. */
const PINGS_AT_ONCE = { total: 40, perEndpoint: 4, mostWaiting: 0 } as const;

export function createPing({ http, keys, now, newId }: PingDeps): Ping {
  const slots = new FairSlots(PINGS_AT_ONCE);
  return async (endpoint) => {
    const { id, project_id, url } = endpoint;
    const release = slots.tryTake({ endpointId: id, projectId: project_id });
    if (!release) return undefined;
    try {
      const at = now();
      const body = JSON.stringify(eventBody({ id: newId(), type: PING_TYPE, at, data: { endpoint_id: id } }));
      const signing = keys({ ...endpoint, endpoint_id: id }, at);
      const answer = await callSigned(http, { url, keys: signing, id: newId(), body, now: at, timeoutSeconds: PING_SECONDS });
      return answer.ok ? { delivered: isTaken(answer), responseStatus: answer.status } : { delivered: false, responseStatus: null };
    } finally {
      release();
    }
  };
}
