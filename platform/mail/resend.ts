import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, deadlineOf } from './api-provider.ts';
import { acceptedWith, answerOf, errorMessage, type HttpRefusal, later } from './http-answer.ts';
import { createHttpPoster, type HttpExchange, readObject } from './http-exchange.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from './provider.ts';
import { apiKeyOf, targetOf } from './provider-url.ts';

const API = 'https://api.resend.com';
/** Before a request is repeated whose answer was lost; each pause is twice the one before, or what the API asks for. */
const FIRST_PAUSE_MS = 500;

/**
 * Resend's HTTP API (resend.com/docs/api-reference: emails/send-email, errors; dashboard/emails/idempotency-keys).
 * `resend://<API key>`; `?baseUrl=` names another server that speaks it. The idempotency key, at most 256 characters,
 * makes Resend answer a repetition within 24 hours without sending again. Its batch call is not used: there one key stands for all mails of a call, so
 * that no mail of it could be asked about again by itself.
 */
export function createResendProvider(url: URL, options: MailProviderOptions): MailProvider {
  const apiKey = apiKeyOf(url.hostname, 'resend://<key>');
  const target = targetOf(url, '/emails', API);
  const reading = { taken: acceptedWith('id'), refused };
  const poster = createHttpPoster(options.maxConnections);
  return {
    name: 'resend',
    host: target.host,
    idempotent: true,
    format: 'resend',
    async send(mail, key, isStopped, submitting) {
      const deadline = deadlineOf(mail, options);
      const body = bodyOf(mail, 'text');
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        'user-agent': 'everpost',
      };
      let unknown: ProviderAnswer | undefined;
      for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
        const exchange = await poster.post({ url: target, headers, body, deadline, isStopped, submitting });
        const answer = answerOf(exchange, reading);
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
