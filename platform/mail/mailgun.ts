import { randomUUID } from 'node:crypto';
import { plainMessageId } from '../../domain/inbound/parse.ts';
import { SEND_ID_FIELD } from '../../domain/inbound/send-id-field.ts';
import { ConfigError } from '../config-error.ts';
import { type ApiCall, bodyOf, createApiProvider } from './api-provider.ts';
import { acceptedWith, errorMessage, type HttpReading, type HttpRefusal, later, leavesOpen } from './http-answer.ts';
import type { OutgoingMail } from './mail.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from './provider.ts';
import { apiKeyOf, checkOptions, regionOf, targetOf } from './provider-url.ts';

const EXAMPLE = 'mailgun://<key>@<sending domain>';
const APIS = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' };

/**
 * Mailgun's messages.mime (documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages), which takes our message as it is, one call a mail,
 * not deduplicated. `mailgun://<API key>@<sending domain>`; options in the query: `region=eu`, `baseUrl=`. Throws ConfigError.
 *
 * Its messages are not signed here: Mailgun signs each with the key of the sending domain, and does not promise to leave a message as it came.
 * Its batch sending is one content with variables, so there is no batch.
 */
export function createMailgunProvider(url: URL, options: MailProviderOptions): MailProvider {
  const key = apiKeyOf(url.username, EXAMPLE);
  if (!/^[\w-]+(\.[\w-]+)+$/.test(url.hostname) || url.password || url.port || !['', '/'].includes(url.pathname))
    throw new ConfigError(`EMAIL_PROVIDER_URL should hold the key and the sending domain: ${EXAMPLE}`);
  checkOptions(url, ['region', 'baseUrl']);
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
  return createApiProvider(
    {
      name: 'mailgun',
      target: targetOf(url, `/v3/${url.hostname}/messages.mime`, regionOf(url, APIS)),
      format: 'message',
      callFor: (mail) => formOf(mail, { authorization, accept: 'application/json', 'user-agent': 'everpost' }),
      readingFor: () => READING,
    },
    options,
  );
}

/** The form that submits a mail: its fields, then the message as a file. */
function formOf(mail: OutgoingMail, headers: Readonly<Record<string, string>>): ApiCall {
  const boundary = `everpost-${randomUUID()}`;
  const fields: [name: string, value: string][] = [
    // The envelope; the message's own headers say who is named in it.
    ...[mail.to, ...(mail.copies ?? [])].map((to): [string, string] => ['to', to]),
    // Opens and clicks are counted by links of our own.
    ['o:tracking', 'no'],
    ['o:tracking-opens', 'no'],
    ['o:tracking-clicks', 'no'],
    [`v:${SEND_ID_FIELD}`, mail.sendId],
  ];
  const parts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const file = 'Content-Disposition: form-data; name="message"; filename="message.eml"\r\nContent-Type: application/octet-stream\r\n\r\n';
  const [before, behind] = [Buffer.from(`${parts.join('')}--${boundary}\r\n${file}`), Buffer.from(`\r\n--${boundary}--\r\n`)];
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: bodyOf(mail, 'lines', before, behind),
  };
}

const accepted = acceptedWith('id');

const READING: HttpReading = {
  taken(answer) {
    const read = accepted(answer);
    // Its events have the id, which is the message's own, without the brackets.
    return read.outcome === 'accepted' && read.providerId !== undefined ? { ...read, providerId: plainMessageId(read.providerId) } : read;
  },
  refused,
};

function refused({ status, headers, body }: HttpRefusal): ProviderAnswer {
  const message = errorMessage(`status ${status}`, body?.message);
  if (leavesOpen(status)) return { outcome: 'unknown', message };
  // Everything else, a domain that is not known or not enabled among it, is about the account, the key or the moment, and may pass.
  if (status === 400 || status === 413) return { outcome: 'rejected', message, badAddress: false };
  return later(message, headers);
}
