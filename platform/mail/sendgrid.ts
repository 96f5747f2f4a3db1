import type { IncomingHttpHeaders } from 'node:http';
import { bodyOf, createApiProvider } from './api-provider.ts';
import { errorMessage, type HttpReading, type HttpRefusal, later, leavesOpen, UNREADABLE } from './http-answer.ts';
import { asObject } from './http-exchange.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from './provider.ts';
import { checkOptions, onlyKeyOf, regionOf, targetOf } from './provider-url.ts';

const APIS = { us: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' };

/**
 * SendGrid's Mail Send (twilio.com/docs/sendgrid/api-reference: mail-send/mail-send, how-to-use-the-sendgrid-v3-api/errors), one call a mail, not
 * deduplicated. `sendgrid://<API key>`; options in the query: `region=eu`, `baseUrl=`. Several mails of one call would share their content, so there is
 * no batch. Throws ConfigError.
 */
export function createSendgridProvider(url: URL, options: MailProviderOptions): MailProvider {
  const key = onlyKeyOf(url, 'sendgrid://<key>');
  checkOptions(url, ['region', 'baseUrl']);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'everpost',
  };
  return createApiProvider(
    {
      name: 'sendgrid',
      target: targetOf(url, '/v3/mail/send', regionOf(url, APIS)),
      format: 'sendgrid',
      callFor: (mail) => ({ headers, body: bodyOf(mail, 'text') }),
      readingFor: () => READING,
    },
    options,
  );
}

/** 202 alone takes a mail, and has no body: events name the mail by this id and a suffix. */
const READING: HttpReading = {
  taken({ status, headers }) {
    if (status !== 202) return UNREADABLE;
    const id = headers['x-message-id'];
    return { outcome: 'accepted', providerId: typeof id === 'string' && id !== '' ? id : undefined };
  },
  refused,
};

function refused({ status, headers, body }: HttpRefusal): ProviderAnswer {
  const errors = Array.isArray(body?.errors) ? body.errors.map(asObject) : [];
  const said = errors.flatMap((error) => (typeof error?.message === 'string' ? error.message : [])).join('; ');
  const message = errorMessage(`status ${status}`, said === '' ? undefined : said);
  if (leavesOpen(status)) return { outcome: 'unknown', message };
  switch (status) {
    case 400:
    case 413:
      return { outcome: 'rejected', message, badAddress: false };
    case 403:
      // A sender that is not verified is the mail's fault; a key that may not send, or an account that is blocked, is ours.
      return errors.some((error) => error?.field === 'from')
        ? { outcome: 'rejected', message, badAddress: false }
        : { outcome: 'later', message };
    default:
      return later(message, headers, secondsToReset(headers));
  }
}

/** Of a limit on requests, which is told in seconds since the epoch. */
function secondsToReset({ 'x-ratelimit-reset': reset }: IncomingHttpHeaders): number | undefined {
  return typeof reset === 'string' && /^\d{1,12}$/.test(reset) ? Math.max(0, Number(reset) - Math.floor(Date.now() / 1000)) : undefined;
}
