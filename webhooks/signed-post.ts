import { type SigningKey, webhookHeaders } from '../domain/webhooks/signature.ts';
import type { SafeAnswer, SafeHttp, SafeRequest } from '../platform/http/safe-http.ts';

export interface SignedCall extends Pick<SafeRequest, 'url' | 'timeoutSeconds' | 'keepFor' | 'answerBytes'> {
  readonly method?: SafeRequest['method'];
  /** Beside the signature's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The present key first. */
  readonly keys: readonly SigningKey[];
  /** The same on every attempt. */
  readonly id: string;
  readonly body: string;
  readonly now: Date;
}

/** What metrics call an answer: `2xx` to `5xx`, or why none came. */
export function outcomeOf(answer: SafeAnswer): string {
  return answer.ok ? `${Math.floor(answer.status / 100)}xx` : answer.refused;
}

/** The one way a webhook leaves, signed by Standard Webhooks 1.0: deliveries, pings, and the webhook nodes of sequences. */
export function callSigned(
  http: SafeHttp,
  { url, method = 'POST', headers, keys, id, body, now, timeoutSeconds, keepFor, answerBytes }: SignedCall,
): Promise<SafeAnswer> {
  return http.request({
    url,
    method,
    headers: {
      ...headers,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...webhookHeaders(keys, { id, timestampSeconds: Math.floor(now.getTime() / 1000), body }),
    },
    body,
    timeoutSeconds,
    keepFor,
    answerBytes,
  });
}
