import type { Base64Form } from './base64-stream.ts';
import { answerOf, type HttpReading } from './http-answer.ts';
import { createHttpPoster, type HttpPoster, type HttpRequest, type StreamedBody } from './http-exchange.ts';
import type { OutgoingMail } from './mail.ts';
import { mailLength, mailOctets } from './mail-octets.ts';
import { type MailProvider, type MailProviderOptions, type ProviderAnswer, timeoutMsOf, tryMsOf } from './provider.ts';

/** The request that submits one mail. */
export type ApiCall = Pick<HttpRequest, 'headers' | 'body'>;

/** An API that takes one mail by one request and does not deduplicate. */
export interface MailApi extends Pick<MailProvider, 'name' | 'format'> {
  readonly target: URL;
  /** An answer: the mail is not submitted. */
  callFor(mail: OutgoingMail): ApiCall | ProviderAnswer | Promise<ApiCall | ProviderAnswer>;
  /** How its answers about this mail are understood. */
  readingFor(mail: OutgoingMail): HttpReading;
}

/** When a mail has to be answered, and what may keep it from being submitted: `MailProvider.send`. */
export interface Submission extends Pick<HttpRequest, 'deadline' | 'isStopped' | 'submitting'> {
  readonly mail: OutgoingMail;
}

/** Submits one mail by one request. */
export async function submitTo(
  { target, callFor, readingFor }: Pick<MailApi, 'target' | 'callFor' | 'readingFor'>,
  poster: HttpPoster,
  { mail, ...limits }: Submission,
): Promise<ProviderAnswer> {
  const call = await callFor(mail);
  return 'outcome' in call ? call : answerOf(await poster.post({ url: target, ...call, ...limits }), readingFor(mail));
}

/** A provider of such an API. */
export function createApiProvider(api: MailApi, options: MailProviderOptions): MailProvider {
  const { name, format, target } = api;
  const poster = createHttpPoster(options.maxConnections);
  return {
    name,
    host: target.host,
    idempotent: false,
    format,
    send(mail, _key, isStopped, submitting) {
      return submitTo(api, poster, { mail, deadline: deadlineOf(mail, options), isStopped, submitting });
    },
    async close() {
      poster.close();
    },
  };
}

/** By when a mail that is submitted now has its answer. */
export function deadlineOf(mail: OutgoingMail, options: MailProviderOptions): number {
  return Date.now() + tryMsOf(mail, timeoutMsOf(options));
}

const NOTHING = Buffer.alloc(0);

/** The body of a request that is a mail, with what stands before and behind it. */
export function bodyOf(
  mail: OutgoingMail,
  form: Base64Form,
  before: Buffer = NOTHING,
  behind: Buffer = NOTHING,
): Uint8Array | StreamedBody {
  if (!mail.parts) return before === NOTHING && behind === NOTHING ? mail.content : Buffer.concat([before, mail.content, behind]);
  return {
    length: before.length + mailLength(mail, form) + behind.length,
    async *octets() {
      if (before.length > 0) yield before;
      yield* mailOctets(mail, form);
      // Nothing is no end that could be held back.
      if (behind.length > 0) yield behind;
    },
  };
}
