import { createHash } from 'node:crypto';
import { ConfigError } from '../config-error.ts';
import { type AwsCredentials, signedHeaders } from '../sigv4.ts';
import { createApiProvider } from './api-provider.ts';
import { base64Length, base64Of } from './base64-stream.ts';
import { acceptedWith, errorMessage, type HttpRefusal, later } from './http-answer.ts';
import type { StreamedBody } from './http-exchange.ts';
import type { OutgoingMail } from './mail.ts';
import { mailLength, mailOctets, UnreadPart } from './mail-octets.ts';
import { type MailProvider, type MailProviderOptions, type ProviderAnswer, unreadAnswer } from './provider.ts';
import { targetOf } from './provider-url.ts';

const PATH = '/v2/email/outbound-emails';

/** Errors about this mail; everything else is about the account, the credentials or the moment, and may pass. */
const REJECTIONS: readonly string[] = [
  'MessageRejected',
  'BadRequestException',
  'MailFromDomainNotVerifiedException',
  'NotFoundException',
  'ValidationException',
  'InvalidParameterValue',
];

/**
 * Amazon SES, API v2, SendEmail with raw content (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html), one
 * call a mail, not deduplicated. `ses://<region>` with the credentials of the options, or `ses://<key id>:<secret>@<region>`;
 * options in the query: `baseUrl=`, `configurationSet=`.
 */
export function createSesProvider(url: URL, options: MailProviderOptions): MailProvider {
  const region = url.hostname;
  if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region)) throw new ConfigError('EMAIL_PROVIDER_URL should name the region: ses://eu-west-1');
  const credentials = credentialsOf(url) ?? options.awsCredentials;
  if (!credentials) throw new ConfigError('EMAIL_PROVIDER_URL is ses://, which needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const target = targetOf(url, PATH, `https://email.${region}.amazonaws.com`);
  const configurationSet = url.searchParams.get('configurationSet') ?? undefined;
  const reading = { taken: acceptedWith('MessageId'), refused };
  return createApiProvider(
    {
      name: 'ses',
      target,
      format: 'message',
      async callFor(mail) {
        // API_SendEmail, FromEmailAddress and Destination: SMTPUTF8 is not supported.
        if (mail.internationalized)
          return { outcome: 'rejected', message: 'Amazon SES takes only ASCII before the @ of an address', badAddress: false };
        const body = mail.parts ? streamedBody(mail, configurationSet) : requestBody(mail, configurationSet, rawData(mail.content));
        const bodySha256 = await hashOf(body);
        if (bodySha256 instanceof UnreadPart) return unreadAnswer(bodySha256);
        const request = {
          method: 'POST',
          url: target,
          headers: { 'content-type': 'application/json' },
          bodySha256,
          region,
          service: 'ses',
        } as const;
        return { headers: signedHeaders(request, credentials, new Date()), body };
      },
      readingFor: () => reading,
    },
    options,
  );
}

function credentialsOf(url: URL): AwsCredentials | undefined {
  if (url.username === '') return undefined;
  return { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) };
}

function requestBody(mail: OutgoingMail, configurationSet: string | undefined, data: string): string {
  return JSON.stringify({
    FromEmailAddress: mail.from,
    // The envelope: the message's own headers say who is named in it.
    Destination: { ToAddresses: [mail.to], ...(mail.copies ? { BccAddresses: mail.copies } : {}) },
    Content: { Raw: { Data: data } },
    ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
  });
}

function rawData(message: Uint8Array): string {
  return Buffer.from(message).toString('base64');
}

/** Stands for the message where it is written by itself; a configuration set's name has no such characters. */
const MESSAGE = '<message>';

/** The same, whose message is read while it is written. */
function streamedBody(mail: OutgoingMail, configurationSet: string | undefined): StreamedBody {
  const [before, after] = requestBody(mail, configurationSet, MESSAGE).split(`"${MESSAGE}"`) as [string, string];
  const [start, end] = [Buffer.from(`${before}"`), Buffer.from(`"${after}`)];
  return {
    length: start.length + base64Length(mailLength(mail, 'lines'), 'text') + end.length,
    async *octets() {
      yield start;
      yield* base64Of(mailOctets(mail, 'lines'), 'text');
      yield end;
    },
  };
}

/** What is signed; a message that is streamed is read for it once more. */
async function hashOf(body: string | StreamedBody): Promise<string | UnreadPart> {
  const hash = createHash('sha256');
  try {
    if (typeof body === 'string') hash.update(body);
    else for await (const octets of body.octets()) hash.update(octets);
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof UnreadPart) return error;
    throw error;
  }
}

function refused({ status, headers, body }: HttpRefusal): ProviderAnswer {
  const error = errorName(headers['x-amzn-errortype'] ?? body?.__type) ?? `status ${status}`;
  const message = errorMessage(error, body?.message ?? body?.Message);
  // Said by what stands between: nobody knows what the service did.
  if (status === 502 || status === 504) return { outcome: 'unknown', message };
  if (status < 500 && REJECTIONS.includes(error)) return { outcome: 'rejected', message, badAddress: false };
  return later(message, headers);
}

/** `com.amazonaws…#MessageRejected` and `MessageRejected:http://…` are both MessageRejected. */
function errorName(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/^.*#/, '').replace(/:.*$/, '') : undefined;
}
