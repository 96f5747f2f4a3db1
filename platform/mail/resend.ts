import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config-error.ts';
import { retryAfterSeconds } from '../http/retry-after.ts';
import { createHttpPoster, type HttpExchange, readObject } from './http-exchange.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from './provider.ts';
import { STOPPED_ANSWER } from './stopped.ts';

const API = 'https://api.resend.com';
const DEFAULT_TIMEOUT_SECONDS = 10;
const PAUSE_MS = 500;
const MAX_MESSAGE = 300;

/**
 * Resend's HTTP API (resend.com/docs/api-reference: emails/send-email, errors; dashboard/emails/idempotency-keys).
 * `resend://<API key>`; `?baseUrl=` names another server that speaks it. The idempotency key, at most 256 characters,
 * makes Resend answer a repetition within 24 hours without sending again.
 */
export function createResendProvider(url: URL, options: MailProviderOptions): MailProvider {
  const apiKey = decodeURIComponent(url.hostname);
  if (apiKey === '') throw new ConfigError('EMAIL_PROVIDER_URL should hold the API key: resend://<key>');
  const target = new URL('/emails', url.searchParams.get('baseUrl') ?? API);
  const timeout = (options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const poster = createHttpPoster(options.maxConnections);
  return {
    name: 'resend',
    host: target.host,
    idempotent: true,
    format: 'resend',
    async send(mail, key, isStopped, submitting) {
      const deadline = Date.now() + timeout;
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        'user-agent': 'everpost',
      };
      for (let unknown: ProviderAnswer | undefined; ; ) {
        const exchange = await poster.post({ url: target, headers, body: mail.content, deadline, isStopped, submitting });
        const answer = answerOf(exchange);
        if (answer.outcome === 'unknown') unknown = answer;
        // The key makes asking again harmless, and the second answer tells what became of the first request: taken or refused. One that only
        // says "later" is about itself.
        else if (answer.outcome !== 'later' || !unknown) return answer;
        if (isKeyOfOther(exchange) || exchange.end === 'stopped' || Date.now() + PAUSE_MS >= deadline) return unknown;
        await sleep(PAUSE_MS);
      }
    },
    async close() {
      poster.close();
    },
  };
}

/** A mail with other content was taken under this key before: the same one, rendered at another time. */
function isKeyOfOther(exchange: HttpExchange): boolean {
  return exchange.end === 'answered' && readObject(exchange.body)?.name === 'invalid_idempotent_request';
}

function answerOf(exchange: HttpExchange): ProviderAnswer {
  if (exchange.end === 'stopped') return STOPPED_ANSWER;
  if (exchange.end === 'broken') return { outcome: exchange.mayHaveArrived ? 'unknown' : 'later', message: exchange.message };
  const { status, headers } = exchange;
  const body = readObject(exchange.body);
  if (status >= 200 && status < 300) {
    if (!body) return { outcome: 'unknown', message: 'the answer of the mail provider could not be read' };
    return { outcome: 'accepted', providerId: typeof body.id === 'string' ? body.id : undefined };
  }
  const error = typeof body?.name === 'string' ? body.name : `status ${status}`;
  const message = `${error}${typeof body?.message === 'string' ? `: ${body.message.slice(0, MAX_MESSAGE)}` : ''}`;
  switch (status) {
    // An earlier request under this key was taken, or is being worked on.
    case 409:
    // Said by what stands between: nobody knows what the API did.
    case 502:
    case 504:
      return { outcome: 'unknown', message };
    case 400:
    case 422:
    case 451:
      return { outcome: 'rejected', message, badAddress: false };
    case 403:
      // A sender domain that is not verified is the mail's fault; a key that is not valid is ours.
      return error === 'validation_error' ? { outcome: 'rejected', message, badAddress: false } : { outcome: 'later', message };
    default: {
      const seconds = retryAfterSeconds(headers, Date.now());
      return { outcome: 'later', message, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) };
    }
  }
}
