import { bodyOf, deadlineOf, submitTo } from './api-provider.ts';
import { createHttpPoster } from './http-exchange.ts';
import { readingOf } from './postmark-answer.ts';
import { PostmarkBatches } from './postmark-batches.ts';
import { type MailProvider, type MailProviderOptions, timeoutMsOf } from './provider.ts';
import { checkOptions, onlyKeyOf, targetOf } from './provider-url.ts';

const API = 'https://api.postmarkapp.com';

/**
 * Postmark's Email API (postmarkapp.com/developer/api/email-api), not deduplicated. `postmark://<server token>`; options in the query: `stream=` (a
 * message stream, its default one when omitted), `baseUrl=`. Mails that are submitted at the same time go by one call. One with attachments goes by
 * itself: they are read while it is written, and one that cannot be read would end the call of others. Throws ConfigError.
 */
export function createPostmarkProvider(url: URL, options: MailProviderOptions): MailProvider {
  const token = onlyKeyOf(url, 'postmark://<server token>');
  checkOptions(url, ['stream', 'baseUrl']);
  const stream = url.searchParams.get('stream');
  const headers = {
    'x-postmark-server-token': token,
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'everpost',
  };
  const start = Buffer.from(stream ? `{"MessageStream":${JSON.stringify(stream)},` : '{');
  const poster = createHttpPoster(options.maxConnections);
  const single = {
    target: targetOf(url, '/email', API),
    callFor: (mail) => ({ headers, body: bodyOf(mail, 'text', start) }),
    readingFor: readingOf,
  } satisfies Parameters<typeof submitTo>[0];
  const batches = new PostmarkBatches({
    target: targetOf(url, '/email/batch', API),
    headers,
    start,
    poster,
    atOnce: options.maxConnections,
    timeoutMs: timeoutMsOf(options),
    alone: (submission) => submitTo(single, poster, submission),
  });
  return {
    name: 'postmark',
    host: single.target.host,
    idempotent: false,
    format: 'postmark',
    send(mail, _key, isStopped, submitting) {
      const submission = { mail, deadline: deadlineOf(mail, options), isStopped, submitting };
      return mail.parts ? submitTo(single, poster, submission) : batches.submit(submission);
    },
    async close() {
      poster.close();
    },
  };
}
