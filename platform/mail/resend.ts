import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config-error.ts';
import { answerOf, errorMessage, type HttpRefusal, later } from './http-answer.ts';
import { createHttpPoster, type HttpExchange, readObject } from './http-exchange.ts';
import { mailLength, mailOctets } from './mail-octets.ts';
import { type MailProvider, type MailProviderOptions, type ProviderAnswer, timeoutMsOf, tryMsOf } from './provider.ts';

const API = 'https://api.resend.com';
/** Before a request is repeated whose answer was lost; each pause is twice the one before, or what the API asks for. */
const FIRST_PAUSE_MS = 500;

/**
 * Resend's HTTP API (resend.com/docs/api-reference: emails/send-email, errors; dashboard/emails/idempotency-keys).
 * `resend://<API key>`; `?baseUrl=` names another server that speaks it. The idempotency key, at most 256 characters,
 * makes Resend answer a repetition within 24 hours without sending again.
 */
export function createResendProvider(url: URL, options: MailProviderOptions): MailProvider {
  const apiKey = decodeURIComponent(url.hostname);
  if (apiKey === '') throw new ConfigError('EMAIL_PROVIDER_URL should hold the API key: resend://<key>');
  const target = new URL('/emails', url.searchParams.get('baseUrl') ?? API);
  const poster = createHttpPoster(options.maxConnections);
  return {
    name: 'resend',
    host: target.host,
    idempotent: true,
    format: 'resend',
    async send(mail, key, isStopped, submitting) {
      const deadline = Date.now() + tryMsOf(mail, timeoutMsOf(options));
      const body = mail.parts ? { length: mailLength(mail, 'text'), octets: () => mailOctets(mail, 'text') } : mail.content;
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        'user-agent': 'everpost',
      };
      let unknown: ProviderAnswer | undefined;
      for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
        const exchange = await poster.post({ url: target, headers, body, deadline, isStopped, submitting });
        const answer = answerOf(exchange, 'id', refused);
        if (isKeyOfOther(exchange)) return answer;
        if (answer.outcome === 'unknown') unknown = { ...answer, tellsLater: true };
        // The key makes asking again harmless, and the second answer tells what became of the first request: taken or refused. One that only
        // says "later" is about itself.
        else if (answer.outcome !== 'later' || !unknown) return answer;
        if (answer.outcome === 'later') pause = Math.max(pause, (answer.retryAfterSeconds ?? 0) * 1000);
        if (exchange.end === 'stopped' || Date.now() + pause >= deadline) return unknown;
        await sleep(pause);
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

function refused({ status, headers, body }: HttpRefusal): ProviderAnswer {
  const error = typeof body?.name === 'string' ? body.name : `status ${status}`;
  const message = errorMessage(error, body?.message);
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
    default:
      return later(message, headers);
  }
}
